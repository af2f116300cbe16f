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
  std::string machine{};            // a hash of the machine's id, which must stay private
  std::uint64_t pid_namespace = 0;  // a pid means nothing in another namespace
  bool has_flock = false;           // it holds the file with flock(2) while it lives
};

// The state of flock(2) on a lock file; unknown if the file system lacks it.
enum class FileLock : std::uint8_t { kHeld, kFree, kUnknown };

enum class Life : std::uint8_t { kDead, kAlive, kUnknown };

// Tells if the holder still runs. A holder counts as dead only if that is certain. A holder on
// another host is unknown: some network file systems keep flocks within a host, so a flock that is
// not seen proves nothing. A holder in another container of this host is unknown, too, if it had no
// flock. This host is known by its name and, if it was restarted since, also by its machine id:
// several hosts may share a name or an id.
Life life_of(const LockHolder& holder, FileLock file_lock);

// The locks that may be taken over.
enum class TakeOver : std::uint8_t {
  kOfTheDead,  // only if its holder is certainly gone
  kForced,     // also if that cannot be known (--force), but not if the holder is seen to be alive
};

// Holds an output directory for one process, by flock(2) and by the file run.lock, which names its
// holder. Both are needed: a network file system may lack one, or keep flocks within a host.
// run.lock appears complete, by link(2), or by renameat2(2) without hard links.
//
// To take over a stale lock, a process first makes a file that is named after the lock's content
// (run.lock-after-<hash>); only then it replaces run.lock. So only one of several processes gets
// the lock. If a process dies between the two steps, its file counts as the next lock and is taken
// over in the same way.
class RunLock {
 public:
  // Errors: kOutputBusy, naming host and pid; kOutputExists if run.lock is not a lock of this
  // program; kOutputWrite.
  explicit RunLock(const Directory& directory, TakeOver allowed = TakeOver::kOfTheDead);
  ~RunLock();  // removes the file
  // Checks that the constructor would take the lock now; changes nothing. Errors: the same.
  static void require_takeable(const Directory& directory, TakeOver allowed);
  // Checks, for a command that only reads, that no holder of the directory may be alive. Changes
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
  std::string text_;  // differs from the text of every other lock
  std::string aside_;
  std::vector<UniqueFd> held_;
};

// Returns the holder that a lock file's text names; its host is empty for any other text.
LockHolder parse_lock(const std::string& text);

}  // namespace virnucpro
