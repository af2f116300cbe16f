#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/directory.hpp"
#include "base/file.hpp"

namespace virnucpro {

// A process that a lock file names. Unknown numbers are 0, unknown texts empty.
struct LockHolder {
  std::string host{};
  pid_t pid = 0;
  std::uint64_t start_time = 0;     // of the process, in ticks since the machine's start
  std::string boot{};               // changes with every start of the machine
  std::string machine{};            // a hash of its id, which systemd wants kept within it
  std::uint64_t pid_namespace = 0;  // numbers of processes mean nothing in another one
  bool has_flock = false;           // it holds the file with flock(2) while it lives
};

// What flock(2) says of a lock file: unknown where the file system lacks it.
enum class FileLock : std::uint8_t { kHeld, kFree, kUnknown };

enum class Life : std::uint8_t { kDead, kAlive, kUnknown };

// Whether the named process still runs. Of another host, and of another container on this one, it
// is unknown: that its flock is not seen proves nothing, as some network file systems keep these
// within a host. A host has the same name and, since it was started again, the same machine id:
// several may share one of these.
Life life_of(const LockHolder& holder, FileLock file_lock);

// When a lock that is there already may be taken over.
enum class TakeOver : std::uint8_t {
  kOfTheDead,  // where its holder is certainly gone
  kForced,     // also where that cannot be known (--force), but never from one seen to be alive
};

// The file run.lock, with which one process holds an output directory. It has two legs: that there
// is one such file, which appears whole under its name (link(2), or where there are no hard links
// renameat2(2)) and names its holder, and flock(2) on it, where the file system has that. Either
// leg keeps a second process out.
//
// A stale lock is taken over by whoever makes, first, the file that is named after its content
// (run.lock-after-<hash>); only then is run.lock replaced. So of several processes that see the
// same stale lock, one gets it. One that dies between the two steps leaves a file that counts as
// the lock's next holder, and is taken over in the same way.
class RunLock {
 public:
  // Errors: kOutputBusy, naming host and pid; kOutputExists where run.lock is no lock of this
  // program's; kOutputWrite.
  explicit RunLock(const Directory& directory, TakeOver allowed = TakeOver::kOfTheDead);
  ~RunLock();  // removes the file
  // Whether the constructor would take it now; changes nothing. Errors: as above.
  static void require_takeable(const Directory& directory, TakeOver allowed);
  // For a directory that is only read: that no process which may be alive holds it. Changes
  // nothing. Errors: kOutputBusy.
  static void require_free(const std::filesystem::path& directory);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  const Directory& directory() const { return directory_; }

 private:
  bool publish(const std::string& name);
  bool publish_copy(const std::string& name);
  bool write_as(const std::string& name);
  bool take_over(TakeOver allowed);
  bool is_left_by_the_dead(const std::string& name) const;
  void remove_remains() const;

  Directory directory_;
  std::string text_;  // of this lock, unlike that of any other
  std::string aside_;
  std::vector<UniqueFd> held_;
};

// The holder that a lock file's text names; an empty host if it is no such text.
LockHolder parse_lock(const std::string& text);

}  // namespace virnucpro
