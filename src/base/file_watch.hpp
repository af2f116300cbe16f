#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

namespace virnucpro {

// Whether two looks were at one file, whatever its names.
bool is_same_file(const struct stat& one, const struct stat& other);

// Whether a file's status has changed, so that it may have been written to even where its size and
// time of modification are the same: a program can set that time back. Other causes are a link and
// chmod.
bool was_touched(const struct stat& before, const struct stat& now);

// Notices that a file changes while it is read: its size or its time of modification, or that
// another file takes its name. Only regular files are watched; a pipe has neither.
//
// A file system may tell of a change late (NFS keeps attributes for a while) or with a coarse
// clock, so a change can be missed; but none is invented. What cannot be looked at has not changed.
// Nor has a file that was removed or moved away, as its descriptor still reads all of it.
class FileWatch {
 public:
  // `fd` must stay open as long as change() is called. `path` may be empty: then there is no name.
  FileWatch(int fd, std::string path);

  // What has changed, for a message; empty if nothing has.
  std::optional<std::string> change() const;
  bool was_touched() const;
  // The file's bytes at first; empty if it is not a regular file.
  std::optional<std::uint64_t> size() const;

 private:
  int fd_;
  std::string path_;
  std::optional<struct stat> opened_;  // the descriptor's file
  std::optional<struct stat> named_;   // the name's; some file systems number it differently
};

}  // namespace virnucpro
