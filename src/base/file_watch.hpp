#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

namespace virnucpro {

// True if both statuses are of the same file, which may have several names.
bool is_same_file(const struct stat& one, const struct stat& other);

// True if the time of status (ctime) has changed: the file may have been written, even with the
// same size and time of modification, because a program can set that time back. A new link and
// chmod change ctime, too.
bool was_touched(const struct stat& before, const struct stat& now);

// Notices that a file changes while it is read: its size, its time of modification, or the file
// under its name. Otherwise a file that is still being copied would give part of the sequences and
// exit code 0. Only regular files are watched.
//
// A change can be missed (NFS caches attributes, clocks are coarse), but every reported change is
// real. A file whose status cannot be read counts as unchanged. So does a removed or moved file,
// because its descriptor still reads all of it.
class FileWatch {
 public:
  // `fd` must stay open as long as change() is called. If `path` is empty, no name is watched.
  FileWatch(int fd, std::string path);

  // Returns a text for a message that says what has changed; empty if nothing has.
  std::optional<std::string> change() const;
  bool was_touched() const;
  // Returns the file's first size in bytes; empty if it is not a regular file.
  std::optional<std::uint64_t> size() const;

 private:
  int fd_;
  std::string path_;
  std::optional<struct stat> opened_;  // status of the descriptor's file
  std::optional<struct stat> named_;   // status by name; some file systems number it differently
};

}  // namespace virnucpro
