#include "download/file_hashes.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/steady_file.hpp"
#include "base/text_file.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kRecordSchema = "virnucpro-hashes-1";

// Reads a record of hashes: {"schema": …, "files": {name: SHA-256}}.
class RecordReader : public JsonVisitor {
 public:
  RecordReader(const std::string& file, std::map<std::string, std::string>& hashes)
      : file_(file), hashes_(hashes) {}

  void scalar(const JsonPath& path, JsonScalar value) override {
    const auto* text = std::get_if<std::string>(&value);
    if (path.size() == 1 && path[0].key == "schema" && text != nullptr && *text == kRecordSchema) {
      return;
    }
    const bool is_entry = path.size() == 2 && path[0].key == "files" && text != nullptr &&
                          !path[1].is_element && is_hash(*text, 64);
    if (!is_entry) {
      throw Error(ErrorKind::kJson, Place{.file = file_}, "it is not a record of hashes")
          .advised("Move the file away: the next download makes a new one.");
    }
    hashes_[path[1].key] = *text;
  }

 private:
  const std::string& file_;
  std::map<std::string, std::string>& hashes_;
};

// Lets only one process at a time change the record of a folder, if the file system has locks.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder) : folder_(folder) {
    ::flock(folder_.fd(), LOCK_EX);
  }

 private:
  Directory folder_;
};

}  // namespace

void ExpectedFile::add_etag(const std::string& etag) {
  if (is_hash(etag, 64) && sha256.empty()) sha256 = etag;
  if (is_hash(etag, 40) && git_blob.empty()) git_blob = etag;
}

std::string ExpectedFile::sha256_text() const {
  if (record_entry.empty()) return "expected " + sha256;
  return fmt::format(
      "expected {} (the hash of the first download); if the publisher changed the file, delete the "
      "entry {}",
      sha256, record_entry);
}

FileHashes hash_file(const std::filesystem::path& path, bool with_git_blob, const Cancel& cancel,
                     const ByteCount& read) {
  const SteadyFile file(path, kWeightsErrors);
  Sha256 sha256;
  GitBlobId git_blob(file.size());
  std::uint64_t done = 0;
  file.visit({.offset = 0, .size = file.size()}, [&](std::span<const std::byte> part) {
    cancel.check();
    sha256.update(part);
    if (with_git_blob) git_blob.update(part);
    read(done += part.size());
  });
  file.check_unchanged();
  return {.bytes = file.size(),
          .sha256 = sha256.hex(),
          .git_blob = with_git_blob ? git_blob.hex() : std::string{}};
}

std::string difference(const ExpectedFile& expected, const FileHashes& found) {
  if (expected.bytes && *expected.bytes != found.bytes) {
    return fmt::format("it has {} bytes, expected {}", found.bytes, *expected.bytes);
  }
  const std::uint64_t about = expected.bytes_about.value_or(found.bytes);
  if (std::max(about, found.bytes) - std::min(about, found.bytes) > about / kOfARoundedSize) {
    return fmt::format("it has {} bytes, expected about {}", found.bytes, about);
  }
  if (!expected.sha256.empty() && expected.sha256 != found.sha256) {
    return fmt::format("its SHA-256 is {}, {}", found.sha256, expected.sha256_text());
  }
  if (!expected.git_blob.empty() && expected.git_blob != found.git_blob) {
    return fmt::format("its git blob's id is {}, expected {}", found.git_blob, expected.git_blob);
  }
  return {};
}

HashRecord::HashRecord(const std::filesystem::path& folder) : file_(folder / kHashRecordName) {
  read();
}

void HashRecord::read() {
  hashes_.clear();
  if (!is_there(file_)) return;
  const std::string name = file_.string();
  RecordReader reader(name, hashes_);
  walk_json(read_small_text(file_, kMaxJsonBytes, ErrorKind::kJson), name, reader);
}

std::string HashRecord::find(const std::string& name) const {
  const auto found = hashes_.find(name);
  return found == hashes_.end() ? std::string{} : found->second;
}

std::string HashRecord::entry(const std::string& name) const {
  return fmt::format("\"{}\" in {}", name, file_.string());
}

void HashRecord::add(const std::string& name, const std::string& sha256) {
  const FolderLock lock(file_.parent_path());
  read();
  hashes_[name] = sha256;
  write();
}

void HashRecord::remove(const std::string& model) {
  if (hashes_.empty()) return;
  const FolderLock lock(file_.parent_path());
  read();
  const std::string prefix = model + "/";
  if (std::erase_if(hashes_,
                    [&prefix](const auto& hash) { return hash.first.starts_with(prefix); }) == 0) {
    return;
  }
  if (!hashes_.empty()) return write();
  if (::unlink(file_.c_str()) != 0) throw write_error(file_, errno);
}

void HashRecord::write() const {
  const Json json{{"schema", kRecordSchema}, {"files", hashes_}};
  AtomicFile file(file_);
  file.write(json.dump(2) + "\n");
  file.commit();
}

}  // namespace virnucpro
