#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/error.hpp"

namespace virnucpro {

// An open file descriptor that closes itself.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;

  int get() const { return fd_; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

// Like open(), but a signal does not make it fail, and programs started later do not inherit the
// file. On failure the descriptor is negative, and errno is set.
UniqueFd open_retrying(const std::filesystem::path& path, int flags, mode_t mode = 0);
// Like open_retrying(), for a path relative to an open folder.
UniqueFd open_retrying_at(int folder, const std::filesystem::path& path, int flags, mode_t mode);
UniqueFd open_to_read(const std::filesystem::path& path, int flags = 0);

// Like std::filesystem::status() and exists(), but a failure of the disk, the network or memory is
// an error, not a missing file. Errors: kInputRead, kOutOfMemory, kTooManyFiles.
std::filesystem::file_status status_of(const std::filesystem::path& path);
bool is_there(const std::filesystem::path& path);

// True if both statuses are of the same file, which may have several names.
bool is_same_file(const struct stat& one, const struct stat& other);

// True if the time of status (ctime) has changed: the file may have been written, even with the
// same size and time of modification, because a program can set that time back. A new link and
// chmod change ctime, too.
bool was_touched(const struct stat& before, const struct stat& now);

// Reads the rest of a small open file; `path` is its name in errors. Errors: `kind` if it has more
// than `limit` bytes or cannot be read.
std::string read_small_file(int file, const std::filesystem::path& path, std::size_t limit,
                            ErrorKind kind);

// Returns the first `size` bytes of a file; fewer if it is shorter or cannot be read.
std::string beginning_of(const std::filesystem::path& path, std::size_t size);

// A file that gets its name only when it is complete. It is written as "<name>.virnucpro-partial"
// in the same folder, which is held open. commit() syncs and renames the file; without a commit,
// the destructor removes it. The rename replaces a link itself, not the file that it leads to. A
// killed process's partial file is removed. If two processes write one file, the later process
// succeeds. Errors: kOutputWrite; kOutputExists if the partial name is not a regular file;
// kOutputBusy from commit() if another process writes the file, too.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  explicit AtomicFile(const FilePlace& place);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view text);
  // Returns a path for libraries that open the incomplete file themselves (HDF5). It leads to this
  // file even if names change.
  std::filesystem::path reachable_path() const;
  // Returns the name of a file that is not complete yet.
  static std::filesystem::path partial_name(const std::filesystem::path& path);
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return written_ + buffer_.size(); }
  // Drops everything after the first `size` bytes written.
  void truncate(std::uint64_t size);
  // Syncs everything written so far to disk. If several files must appear together, sync all of
  // them before the first commit(), so that a full disk shows before any file has its name.
  void sync();
  void commit();

 private:
  void make();
  void flush();
  // True if the partial name now belongs to another process's file.
  bool is_anothers() const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  Directory folder_;
  UniqueFd fd_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

// Syncs all files before the first gets its name, so that a full disk is noticed in time.
void commit_together(std::deque<AtomicFile>& files);

// Syncs a folder, so that a rename in it survives a power cut. Errors: kOutputWrite.
void sync_directory(const std::filesystem::path& directory);

// Writes all of `text`, in several calls if needed. Returns 0, or errno of the failed call.
int write_all(int fd, std::string_view text);

// Reads the bytes from `offset` on, in several calls if needed. Returns their number, which is
// below out.size() only at the file's end. On failure it is negative and errno is set.
ssize_t read_at(int fd, std::uint64_t offset, std::span<char> out);

// Returns the system's text for `error`: "No space left on device".
std::string errno_text(int error);
// Makes the error of a failed write: kOutputWrite, kOutOfMemory or kTooManyFiles, by the errno
// `error`. If the disk or a quota is full, the remedy is to free space; for a hard link, to copy
// the file. `what` precedes the reason.
Error write_error(const std::filesystem::path& path, int error, const std::string& what = {});

// These open files in a directory where strangers may write. A link there could lead to a user's
// file, and opening a named pipe or a device could wait for ever.

// Names the kind of an entry that is not a regular file: "a symbolic link", "a named pipe" and so
// on. Empty for a regular file and for a missing one.
std::string_view other_kind_of(const std::filesystem::path& path);

// Opens a file only if it is regular. `flags` are those of open(2). On failure the result is empty
// and errno is set: ELOOP for a link, EINVAL for another kind of entry.
UniqueFd open_regular_file(const std::filesystem::path& path, int flags);

// Says why somebody other than `user`, root and the group may have made the contents of a folder or
// file; empty if nobody could. In a folder where everybody may write, the sticky bit protects the
// user's entries; each entry's owner then says who made it.
std::string why_distrusted(const struct stat& status, uid_t user);

// True if a text can name a file in a folder and no place outside it: one part of a path, not
// empty, "." or "..", without control characters, at most 255 bytes. Check every name that comes
// from a file's content before you use it in a path.
bool is_file_name(std::string_view text);

}  // namespace virnucpro
