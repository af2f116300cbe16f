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
// ESM-2 15B in fp32 has 61 GB.
inline constexpr std::uint64_t kMostWeightBytes = std::uint64_t{64} << 30U;

// What a file must be. What is not known is empty.
struct ExpectedFile {
  std::optional<std::uint64_t> bytes{};
  std::optional<std::uint64_t> bytes_about{};  // to a part in kOfARoundedSize
  std::uint64_t most = kMostWeightBytes;       // bytes that a server may send where none are known
  std::string sha256{};
  std::string git_blob{};
  std::string record_entry{};  // where only a HashRecord says `sha256`: HashRecord::entry()

  bool has_hash() const { return !sha256.empty() || !git_blob.empty(); }
  // Takes a hub's ETag, which is the content's SHA-256 (of a large file) or its git blob's id,
  // where none is known.
  void add_etag(const std::string& etag);
  // "expected <SHA-256>"; of one that only a record says, also what to do if it is to change.
  std::string sha256_text() const;
};

// What a file is. `git_blob` only where it was asked for.
struct FileHashes {
  std::uint64_t bytes = 0;
  std::string sha256{};
  std::string git_blob{};
};

// Told of the bytes read so far.
using ByteCount = std::function<void(std::uint64_t)>;

// Reads the whole file. Errors: the kWeights* of reading; Cancel's.
FileHashes hash_file(const std::filesystem::path& path, bool with_git_blob, const Cancel& cancel,
                     const ByteCount& read);

// In what the file differs: "it has 5 bytes, expected 6"; empty: in nothing that is known.
std::string difference(const ExpectedFile& expected, const FileHashes& found);

// The SHA-256 that files without a published hash had when they were first fetched. They are kept
// in virnucpro-hashes.json in the folder of the models, and later downloads are held to them.
class HashRecord {
 public:
  // Errors: kJson for a file that is no such record.
  explicit HashRecord(const std::filesystem::path& folder);

  const std::filesystem::path& file() const { return file_; }
  std::string find(const std::string& name) const;  // "dnabert-s/config.json"; empty: none
  // Where a file's hash is, for people: "dnabert-s/config.json" in …/virnucpro-hashes.json.
  std::string entry(const std::string& name) const;
  // Adds or replaces one, and writes the file. Several processes may do that. Errors: kOutputWrite.
  void add(const std::string& name, const std::string& sha256);
  // Removes those of a model, and the file with the last of them.
  void remove(const std::string& model);

 private:
  void read();
  void write() const;

  std::filesystem::path file_;
  std::map<std::string, std::string> hashes_;
};

}  // namespace virnucpro
