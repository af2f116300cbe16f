#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/file.hpp"

namespace virnucpro {

// The file run.lock of an output directory, held by one process: locked by flock(2), so that it is
// free as soon as that process is gone, however it went; it names the holder, "host pid". One that
// nobody holds any more is taken over. Where the file system has no such locks, the holder named is
// asked after instead: alive on this host, or on another host, it holds the lock.
class RunLock {
 public:
  static constexpr const char* kName = "run.lock";

  // Errors: kOutputBusy, naming host and pid; kOutputWrite.
  explicit RunLock(const std::filesystem::path& directory);
  ~RunLock();  // removes the file
  // For a directory that cannot be written, and so not locked: asks after the holder named there.
  // Errors: kOutputBusy.
  static void require_free(const std::filesystem::path& directory);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  bool try_take();

  std::filesystem::path path_;
  UniqueFd fd_;
};

// Who a lock file names; an empty host when it cannot be read.
struct LockHolder {
  std::string host;
  pid_t pid = 0;
};
LockHolder read_lock_holder(const std::filesystem::path& path);

// Whether a process that a lock file names may still be running: yes on another host, where
// nobody can tell from here.
bool may_be_alive(const LockHolder& holder);

}  // namespace virnucpro
