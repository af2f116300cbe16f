#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/file.hpp"

namespace virnucpro {

// The file run.lock, with which one process holds an output directory. flock(2) frees it when the
// process ends in any way. It contains the holder, "host pid". A lock without a holder is taken
// over. Where the file system lacks flock, the named holder decides: it holds the lock if it is
// alive on this host, or is on another host.
class RunLock {
 public:
  // Errors: kOutputBusy, naming host and pid; kOutputWrite.
  explicit RunLock(const std::filesystem::path& directory);
  ~RunLock();  // removes the file
  // For a directory that is only read: no live run may hold it, and nothing in it changes. Errors:
  // kOutputBusy; kOutputWrite where run.lock cannot be read.
  static void require_free(const std::filesystem::path& directory);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  bool try_take();

  std::filesystem::path path_;
  UniqueFd fd_;
};

// The process that a lock file names; an empty host when the file cannot be read.
struct LockHolder {
  std::string host;
  pid_t pid = 0;
};
LockHolder read_lock_holder(const std::filesystem::path& path);

// Whether the named process may still be running. Always true for another host, which cannot be
// checked from here.
bool may_be_alive(const LockHolder& holder);

}  // namespace virnucpro
