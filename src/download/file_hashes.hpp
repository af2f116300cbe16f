#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/cancel.hpp"

namespace virnucpro {

inline constexpr std::uint64_t kOfARoundedSize = 50;
// The limit for weights: ESM-2 15B in fp32 has 61 GB.
inline constexpr std::uint64_t kMostWeightBytes = std::uint64_t{64} << 30U;

// The expected size and hashes of a file; unknown values are empty.
struct ExpectedFile {
  std::optional<std::uint64_t> bytes{};
  std::optional<std::uint64_t> bytes_about{};  // rounded: off by at most 1/kOfARoundedSize
  std::uint64_t most = kMostWeightBytes;       // limit if the number of bytes is unknown
  std::string sha256{};
  std::string git_blob{};
  std::string record_entry{};  // HashRecord::entry(), if `sha256` comes from a record

  bool has_hash() const { return !sha256.empty() || !git_blob.empty(); }
  // Sets a missing hash from a hub's ETag: the content's SHA-256 (large files) or git blob id.
  void add_etag(const std::string& etag);
  // Returns "expected <SHA-256>". For a hash from a record, also says how to change the record.
  std::string sha256_text() const;
};

// The size and hashes of a file; `git_blob` is empty unless it was asked for.
struct FileHashes {
  std::uint64_t bytes = 0;
  std::string sha256{};
  std::string git_blob{};
};

// Receives the number of bytes read so far.
using ByteCount = std::function<void(std::uint64_t)>;

// Returns a file's size and hashes. Errors: kWeights* for reading; those of Cancel.
FileHashes hash_file(const std::filesystem::path& path, bool with_git_blob, const Cancel& cancel,
                     const ByteCount& read);

// Returns how the file differs, "it has 5 bytes, expected 6"; empty if the file is as expected.
std::string difference(const ExpectedFile& expected, const FileHashes& found);

// The SHA-256 of each file without a published hash, from its first download; later downloads must
// match it. The record is virnucpro-hashes.json in the folder of the models, so that users who
// share the folder share the hashes.
class HashRecord {
 public:
  // Errors: kJson for a file that is not a record.
  explicit HashRecord(const std::filesystem::path& folder);

  const std::filesystem::path& file() const { return file_; }
  std::string find(const std::string& name) const;  // "dnabert-s/config.json"; empty if unknown
  // Returns where a file's hash is recorded: "dnabert-s/config.json" in …/virnucpro-hashes.json.
  std::string entry(const std::string& name) const;
  // Adds or replaces a hash, and writes the file. Several processes may do this at once. Errors:
  // kOutputWrite.
  void add(const std::string& name, const std::string& sha256);
  // Removes the hashes of a model; removes the file if it is then empty.
  void remove(const std::string& model);

 private:
  void read();
  void write() const;

  std::filesystem::path file_;
  std::map<std::string, std::string> hashes_;
};

}  // namespace virnucpro
