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

// Like open(), but tries again after a signal. Programs started later do not inherit the file. On
// failure the descriptor is negative, and errno is set.
UniqueFd open_retrying(const std::filesystem::path& path, int flags, mode_t mode = 0);
// Like open_retrying(), for a path relative to an open folder.
UniqueFd open_retrying_at(int folder, const std::filesystem::path& path, int flags, mode_t mode);
UniqueFd open_to_read(const std::filesystem::path& path, int flags = 0);

// Like std::filesystem::status() and exists(), but a failed disk, network or allocation is an
// error, because the file may exist. Errors: kInputRead, kOutOfMemory, kTooManyFiles.
std::filesystem::file_status status_of(const std::filesystem::path& path);
bool is_there(const std::filesystem::path& path);

// True if both statuses belong to one file, which may have several names.
bool is_same_file(const struct stat& one, const struct stat& other);

// True if the time of the last status change (ctime) differs: the file may have been written. The
// size and the time of modification may still be equal, because a program can set that time back. A
// new hard link and chmod change ctime, too.
bool was_touched(const struct stat& before, const struct stat& now);

// Reads an open small file to its end. `path` is the file's name in errors. Errors: `kind` if more
// than `limit` bytes are read, or if reading fails.
std::string read_small_file(int file, const std::filesystem::path& path, std::size_t limit,
                            ErrorKind kind);

// Returns the first `size` bytes of a file; fewer if the file is shorter or cannot be read.
std::string beginning_of(const std::filesystem::path& path, std::size_t size);

// A file that gets its name only when it is complete. Until then it is "<name>.virnucpro-partial"
// in the same folder; this object keeps the folder open. commit() syncs and renames the file;
// without a commit, the destructor removes the file. If the final name is a link, the link is
// replaced, not its target. The constructor removes the partial file of a killed process. If two
// processes write one file, the process that opened it last succeeds, and commit() of the other one
// throws kOutputBusy. Other errors: kOutputWrite; kOutputExists if the partial name is not a
// regular file.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  explicit AtomicFile(const FilePlace& place);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view text);
  // Returns a path by which a library (HDF5) can open the incomplete file. The path leads to this
  // file even if names change.
  std::filesystem::path reachable_path() const;
  static std::filesystem::path partial_name(const std::filesystem::path& path);
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return written_ + buffer_.size(); }
  // Drops everything after the first `size` bytes written.
  void truncate(std::uint64_t size);
  // Syncs everything written so far to disk. If several files must appear together, sync all of
  // them before the first commit(): a full disk then fails before any file has its name.
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

// Syncs all files, then commits all: a full disk then fails before any file has its name.
void commit_together(std::deque<AtomicFile>& files);

// Syncs a folder, so that a rename in it survives a power cut. Errors: kOutputWrite.
void sync_directory(const std::filesystem::path& directory);

// Writes all of `text`, in several calls if needed. Returns 0, or errno of the failed call.
int write_all(int fd, std::string_view text);

// Reads out.size() bytes from `offset` on, in several calls if needed. Returns how many bytes were
// read: fewer only at the file's end; negative, with errno set, on failure.
ssize_t read_at(int fd, std::uint64_t offset, std::span<char> out);

// Returns the system's text for `error`: "No space left on device".
std::string errno_text(int error);
// Makes the error of a failed write: kOutputWrite, kOutOfMemory or kTooManyFiles, by the errno
// `error`. The remedy is to free space if the disk or a quota is full, and to copy the file if it
// is a hard link. `what` precedes the reason.
Error write_error(const std::filesystem::path& path, int error, const std::string& what = {});

// The next three functions are for a directory where other users may write. A link there could lead
// to a user's file, and opening a named pipe or a device could wait for ever.

// Names the type of an entry that is not a regular file, for example "a symbolic link". Empty for a
// regular file and for a missing entry.
std::string_view other_kind_of(const std::filesystem::path& path);

// Opens a file only if it is regular. `flags` are those of open(2). On failure the result is empty
// and errno is set: ELOOP for a link, EINVAL for another type of entry.
UniqueFd open_regular_file(const std::filesystem::path& path, int flags);

// Returns the reason why a user other than `user` and root may have changed a folder or file; empty
// if there is none. The group is trusted. A folder with the sticky bit is trusted even if
// everybody may write to it: others can add entries, but not replace another user's. So the caller
// must check each entry's owner.
std::string why_distrusted(const struct stat& status, uid_t user);

// True if a text can be the name of an entry in a folder: one part of a path of 1 to 255 bytes,
// without control characters, and not "." or "..". Check every name that comes from a file's
// content before you use it in a path.
bool is_file_name(std::string_view text);

}  // namespace virnucpro
