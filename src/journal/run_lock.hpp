#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/directory.hpp"
#include "base/file.hpp"

namespace virnucpro {

// The process that a lock file names. Unknown numbers are 0, unknown texts empty.
struct LockHolder {
  std::string host{};
  pid_t pid = 0;
  std::uint64_t start_time = 0;     // the process's start, in clock ticks since the boot
  std::string boot{};               // the boot's id: changes with every boot
  std::string machine{};            // a hash of the machine's id, which is private
  std::uint64_t pid_namespace = 0;  // the inode of the namespace of `pid`
  bool has_flock = false;           // the process has a flock(2) on the file while it lives
};

// The state of flock(2) on a lock file; kUnknown if the file system has no flock.
enum class FileLock : std::uint8_t { kHeld, kFree, kUnknown };

enum class Life : std::uint8_t { kDead, kAlive, kUnknown };

// Tells if the holder still runs. Returns kDead only if that is certain. A holder on another host
// is kUnknown, because some network file systems show a flock only on its own host. A holder in
// another container of this host is kUnknown if it had no flock. A holder counts as on this host
// if host name and boot id are equal. After a reboot the boot ids differ, and the machine ids must
// be equal instead, because several hosts may share a name.
Life life_of(const LockHolder& holder, FileLock file_lock);

enum class TakeOver : std::uint8_t {
  kOfTheDead,  // only locks whose holder is certainly dead
  kForced,     // also locks whose holder may be dead (--force)
};

// Reserves an output directory for one process, by the file run.lock, which names the process, and
// by flock(2) on this file. Both are needed: a network file system may have no flock, or show it
// only on one host. run.lock appears in one step with its complete text: by link(2) or, on a file
// system without hard links, by renameat2(2).
//
// To take over a dead process's lock, a process first makes a file that is named after a hash of
// the lock's text (run.lock-after-<hash>). Only one process can make this file, and only this
// process replaces run.lock. If it dies between the two steps, its file counts as a lock and is
// taken over in the same way.
class RunLock {
 public:
  // Takes the lock. Errors: kOutputBusy, naming host and pid; kOutputExists if run.lock is not a
  // lock of this program; kOutputWrite.
  explicit RunLock(const Directory& directory, TakeOver allowed = TakeOver::kOfTheDead);
  ~RunLock();  // removes the file
  // Checks that the constructor would take the lock now; changes nothing. Errors: the
  // constructor's.
  static void require_takeable(const Directory& directory, TakeOver allowed);
  // Checks that no process that may be alive holds the directory, for a command that only reads.
  // Changes nothing. Errors: kOutputBusy.
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
  std::string text_;  // differs from the text of every other lock
  std::string aside_;
  std::vector<UniqueFd> held_;
};

// Parses the text of a lock file. The host is empty for any other text.
LockHolder parse_lock(const std::string& text);

}  // namespace virnucpro
