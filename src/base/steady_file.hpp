#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

// Notices if a file changes while it is read: its size, its modification time, or which file has
// its name. Without this check, a file that is still being copied would give only a part of its
// sequences, and exit code 0. Only regular files are watched.
//
// A change can be missed (NFS caches attributes, clocks are coarse), but every reported change is
// real. A file whose status cannot be read counts as unchanged. So does a removed or moved file,
// because its descriptor still reads all of it.
class FileWatch {
 public:
  // `fd` must stay open while this object is used. If `path` is empty, the file's name is not
  // watched.
  FileWatch(int fd, std::string path);

  // Returns what has changed, as text for a message; empty if nothing has.
  std::optional<std::string> change() const;
  bool was_touched() const;
  // Returns the file's size in bytes at construction; empty if it is not a regular file.
  std::optional<std::uint64_t> size() const;

 private:
  int fd_;
  std::string path_;
  std::optional<struct stat> opened_;  // first status of the descriptor
  std::optional<struct stat> named_;   // first status of the path
};

// The kinds of errors for one type of file, such as inputs.
struct FileErrors {
  ErrorKind missing;     // the file cannot be opened
  ErrorKind unreadable;  // the disk or the network failed
  ErrorKind changed;     // the file changed after it was opened
};
inline constexpr FileErrors kInputErrors{ErrorKind::kInputMissing, ErrorKind::kInputRead,
                                         ErrorKind::kInputChanged};
inline constexpr FileErrors kWeightsErrors{ErrorKind::kWeightsMissing, ErrorKind::kWeightsRead,
                                           ErrorKind::kWeightsChanged};

// A part of a file; both numbers are in bytes.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// A large file that is read in parts, in any order, and must not change meanwhile. The file is not
// mapped: if another process cuts a mapped file, or its disk fails, SIGBUS ends this process. A
// failed read gives an error instead. Thread-safe.
class SteadyFile {
 public:
  // Opens the file. Errors: `missing`, also if the file is not a regular file.
  explicit SteadyFile(const std::filesystem::path& path, const FileErrors& errors = kInputErrors);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // at the time of opening

  // Fills `out` with the bytes from `offset` on, which must be within size(). Errors: `unreadable`
  // with the system's reason; `changed` if the file is shorter now.
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  // Reads a part of the file in blocks and calls `visit` with each. Errors: those of read().
  void visit(const Extent& part,
             const std::function<void(std::span<const std::byte>)>& visit) const;
  // Throws `changed` if the file changed after it was opened (see FileWatch). It is no error if
  // another file has the name now.
  void check_unchanged() const;
  bool was_touched() const { return watch_->was_touched(); }

 private:
  [[noreturn]] void fail(ErrorKind kind, std::uint64_t offset, const std::string& detail) const;

  std::filesystem::path path_;
  FileErrors errors_;
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  std::optional<FileWatch> watch_;
};

}  // namespace virnucpro
