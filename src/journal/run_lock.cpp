#include "journal/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/host.hpp"
#include "base/log.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestLockFile = 4096;
constexpr std::size_t kLongestChain = 100;  // takeover files left by dead processes
constexpr std::size_t kShortestMachineId = 32;
constexpr std::string_view kUnknown = "-";

const std::string kName(run_files::kLock.name);

struct ProcessState {
  char state = 0;
  std::uint64_t start_time = 0;
};

// Reads /proc/<pid>/stat; empty if there is no such process, or the file may not be read.
std::optional<ProcessState> state_of(pid_t pid) {
  constexpr int kFieldsBetween = 18;  // between state (field 3) and start time (22)
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const std::size_t name_end = text.rfind(')');  // the program's name may contain ')'
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessState found;
  std::string skipped;
  fields >> found.state;
  for (int k = 0; k < kFieldsBetween; ++k) fields >> skipped;
  if (!(fields >> found.start_time)) return std::nullopt;
  return found;
}

std::string first_word(const char* file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

std::uint64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

// Returns a hash of machine-id(5), because the id itself must not leave the machine. Empty if the
// machine has no id, as in many containers.
std::string machine_hash() {
  const std::string id = first_word("/etc/machine-id");
  if (id.size() < kShortestMachineId) return {};
  Sha256 hash;
  hash.update(as_bytes("virnucpro run.lock " + id));
  return hash.hex();
}

LockHolder this_process() {
  LockHolder own{.host = host_name(), .pid = ::getpid()};
  // Fields are separated by blanks, so the host must be one word.
  std::ranges::replace_if(
      own.host, [](unsigned char letter) { return letter <= ' ' || letter == 0x7f; }, '_');
  if (own.host.empty()) own.host = std::string(kUnknown);
  if (const auto state = state_of(own.pid)) own.start_time = state->start_time;
  own.boot = first_word("/proc/sys/kernel/random/boot_id");
  own.machine = machine_hash();
  own.pid_namespace = own_pid_namespace();
  return own;
}

bool is_there(const LockHolder& holder) {
  // This process holds no lock yet: a holder with its pid but no start time is an earlier process.
  if (holder.pid == ::getpid() && holder.start_time == 0) return false;
  if (::kill(holder.pid, 0) != 0 && errno != EPERM) return false;
  const std::optional<ProcessState> state = state_of(holder.pid);
  if (!state) return true;
  if (state->state == 'Z' || state->state == 'X') return false;
  return holder.start_time == 0 || holder.start_time == state->start_time;
}

// Returns the text of a lock file. The text ends with the time, so that no two locks are equal.
std::string text_of(const LockHolder& holder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{} {} {} {} {} {} {} {}\n", holder.host, holder.pid, holder.start_time,
                     holder.boot.empty() ? kUnknown : holder.boot, holder.pid_namespace,
                     holder.has_flock ? "flock" : kUnknown,
                     holder.machine.empty() ? kUnknown : holder.machine,
                     std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

struct LockFile {
  std::string name;
  std::string text;
  LockHolder holder;
  bool is_empty = false;  // a regular file without text
  FileLock file_lock = FileLock::kUnknown;
};

// Tests flock(2) with a shared lock, so that two processes that test do not block each other.
FileLock look_at_flock(int fd) {
  while (::flock(fd, LOCK_SH | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return FileLock::kHeld;
    if (errno != EINTR) return FileLock::kUnknown;
  }
  return FileLock::kFree;
}

// Throws for a lock file that cannot be read: its holder is unknown, so it may be alive.
[[noreturn]] void fail_unreadable(const Directory& directory, const std::string& name) {
  throw Error(kind_of_failure(errno, ErrorKind::kOutputBusy),
              Place{.file = (directory.path() / name).string()},
              "this lock file cannot be read: " + errno_text(errno))
      .advised("Wait for that run, ask the file's owner, or choose another --output.");
}

// Reads a lock file; nullopt if it does not exist. The holder's host is empty if the file is not a
// lock. Errors: kOutputBusy if the file cannot be read, kTooManyFiles.
std::optional<LockFile> read_lock(const Directory& directory, const std::string& name) {
  LockFile lock{.name = name, .text = {}, .holder = {}};
  const EntryKind kind = directory.kind_of(name);
  if (kind == EntryKind::kNone) return std::nullopt;
  if (kind != EntryKind::kFile) return lock;
  const UniqueFd fd = directory.open_file(name);
  if (fd.get() < 0 && errno == ENOENT) return std::nullopt;
  std::array<char, kLongestLockFile> text{};
  const ssize_t size = fd.get() < 0 ? -1 : read_at(fd.get(), 0, text);
  if (size < 0) fail_unreadable(directory, name);
  lock.text.assign(text.data(), static_cast<std::size_t>(size));
  lock.is_empty = lock.text.empty();
  lock.holder = parse_lock(lock.text);
  lock.file_lock = look_at_flock(fd.get());
  return lock;
}

// Reads a lock file. Waits up to 0.5 s while it is empty: a process may be writing its text.
std::optional<LockFile> read_written_lock(const Directory& directory, const std::string& name) {
  constexpr int kLooks = 25;
  constexpr std::chrono::milliseconds kPause{20};
  std::optional<LockFile> lock = read_lock(directory, name);
  for (int look = 0; look < kLooks && lock && lock->is_empty; ++look) {
    std::this_thread::sleep_for(kPause);
    lock = read_lock(directory, name);
  }
  return lock;
}

// Returns the name of the file that a process makes to take over `lock`.
std::string successor_of(const LockFile& lock) {
  return run_files::kLockAside.in({}, fmt::format("after-{:016x}", hash64(lock.text))).string();
}

// Returns run.lock and the chain of takeover files after it; each was made to take over the lock
// before it. Empty if there is no run.lock. Only the last file may be something other than a lock.
std::vector<LockFile> chain_of(const Directory& directory) {
  std::vector<LockFile> chain;
  std::optional<LockFile> lock = read_written_lock(directory, kName);
  while (lock) {
    // This program never makes so long a chain, or a circle of files, so the file is foreign.
    if (chain.size() == kLongestChain) lock->holder = {};
    const bool is_last = lock->holder.host.empty();
    std::string next = successor_of(*lock);
    chain.push_back(*std::move(lock));
    if (is_last) break;
    lock = read_written_lock(directory, next);
  }
  return chain;
}

Error busy_error(const Directory& directory, const LockHolder& holder) {
  return {ErrorKind::kOutputBusy, Place{.file = (directory.path() / kName).string()},
          fmt::format("host {}, process {}", holder.host, holder.pid)};
}

[[noreturn]] void fail_busy(const Directory& directory, const LockHolder& holder, Life life) {
  Error busy = busy_error(directory, holder);
  if (life == Life::kUnknown) {
    busy.advise(fmt::format(
        "Wait for that run, or choose another --output. If host {} no longer has this process, "
        "remove run.lock and continue with predict --resume, or start over with --force.",
        holder.host));
  }
  throw Error(busy);
}

// Throws the error for a command that only reads the run.
[[noreturn]] void fail_not_free(const Directory& directory, const LockHolder& holder, Life life) {
  Error busy = busy_error(directory, holder);
  std::string advice = "Wait until that run has ended.";
  if (life == Life::kUnknown) {
    advice += fmt::format(
        " If host {} no longer has this process, remove run.lock and continue with predict "
        "--resume.",
        holder.host);
  }
  busy.advise(std::move(advice));
  throw Error(busy);
}

[[noreturn]] void fail_foreign(const Directory& directory, const std::string& name) {
  throw Error(ErrorKind::kOutputExists, Place{.file = (directory.path() / name).string()},
              "it is not a lock of this program, so it was left alone")
      .advised("Move it away, or choose another --output.");
}

void require_dead(const Directory& directory, const LockFile& lock, TakeOver allowed) {
  if (lock.holder.host.empty()) fail_foreign(directory, lock.name);
  const Life life = life_of(lock.holder, lock.file_lock);
  if (life == Life::kDead || (life == Life::kUnknown && allowed == TakeOver::kForced)) return;
  fail_busy(directory, lock.holder, life);
}

}  // namespace

LockHolder parse_lock(const std::string& text) {
  std::istringstream words(text);
  LockHolder holder;
  if (text.empty() || text.back() != '\n' || !(words >> holder.host >> holder.pid) ||
      holder.pid <= 0) {
    return {};
  }
  std::string flock;
  words >> holder.start_time >> holder.boot >> holder.pid_namespace >> flock >> holder.machine;
  for (std::string* word : {&holder.boot, &holder.machine}) {
    if (*word == kUnknown) word->clear();
  }
  holder.has_flock = flock == "flock";
  return holder;
}

Life life_of(const LockHolder& holder, FileLock file_lock) {
  if (file_lock == FileLock::kHeld) return Life::kAlive;
  const LockHolder own = this_process();
  if (holder.host != own.host) return Life::kUnknown;
  const bool knows_boots = !holder.boot.empty() && !own.boot.empty();
  if (knows_boots && holder.boot != own.boot) {
    const bool is_this_machine = !own.machine.empty() && holder.machine == own.machine;
    return is_this_machine ? Life::kDead : Life::kUnknown;
  }
  // All containers of one kernel see the same flock, so a free file means that the holder is dead.
  if (knows_boots && holder.has_flock && file_lock == FileLock::kFree) return Life::kDead;
  const bool knows_namespaces = holder.pid_namespace != 0 && own.pid_namespace != 0;
  if (knows_namespaces && holder.pid_namespace != own.pid_namespace) return Life::kUnknown;
  return is_there(holder) ? Life::kAlive : Life::kDead;
}

RunLock::RunLock(const Directory& directory, TakeOver allowed) : directory_(directory) {
  LockHolder own = this_process();
  UniqueFd file;
  do {
    aside_ = run_files::kLockAside.in({}, fmt::format("{:016x}", hash64(text_of(own)))).string();
    file = directory_.create(aside_);
  } while (file.get() < 0 && errno == EEXIST);
  if (file.get() < 0) throw write_error(directory_.path() / kName, errno);
  own.has_flock = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  text_ = text_of(own);
  const int error = write_all(file.get(), text_);
  held_.push_back(std::move(file));
  try {
    if (error != 0) throw write_error(directory_.path() / kName, error);
    while (!publish(kName) && !take_over(allowed)) continue;
  } catch (...) {
    ::unlinkat(directory_.fd(), aside_.c_str(), 0);
    throw;
  }
  ::unlinkat(directory_.fd(), aside_.c_str(), 0);
  remove_remains();
}

// Makes the file `name` with this lock's complete text in one step; false if the name exists.
bool RunLock::publish(const std::string& name) {
  if (::linkat(directory_.fd(), aside_.c_str(), directory_.fd(), name.c_str(), 0) == 0) return true;
  if (errno == EEXIST) {
    // A network file system may repeat a linkat() whose answer was lost. Then the file is ours.
    const std::optional<LockFile> there = read_lock(directory_, name);
    return there && there->text == text_;
  }
  return publish_copy(name);
}

// Publishes without hard links, by renaming a copy. If the file system also has no rename that
// refuses existing names, writes the file in place. The file is then empty for a moment, and other
// processes wait for its text (read_written_lock).
bool RunLock::publish_copy(const std::string& name) {
  const std::string copy = aside_ + "-copy";
  if (write_as(copy)) {
    const int error = directory_.rename_if_free(copy, name);
    if (error == 0) return true;
    ::unlinkat(directory_.fd(), copy.c_str(), 0);
    if (error == EEXIST) return false;
  }
  return write_as(name);
}

// Writes the lock's text to a new file; returns false if the name exists.
bool RunLock::write_as(const std::string& name) {
  UniqueFd file = directory_.create(name);
  if (file.get() < 0 && errno == EEXIST) return false;
  if (file.get() < 0) throw write_error(directory_.path() / name, errno);
  static_cast<void>(::flock(file.get(), LOCK_EX | LOCK_NB));
  const int error = write_all(file.get(), text_);
  held_.push_back(std::move(file));
  if (error == 0) return true;
  ::unlinkat(directory_.fd(), name.c_str(), 0);
  throw write_error(directory_.path() / name, error);
}

// Takes over a dead process's lock. Returns false if another process changed the locks meanwhile.
bool RunLock::take_over(TakeOver allowed) {
  const std::vector<LockFile> chain = chain_of(directory_);
  if (chain.empty()) return false;
  require_dead(directory_, chain.back(), allowed);
  const std::string claim = successor_of(chain.back());
  if (!publish(claim)) return false;
  // Reads run.lock again. If another process took over first, it replaced run.lock and then removed
  // its claim, so that publish() succeeded here, too.
  const std::optional<LockFile> now = read_lock(directory_, kName);
  const bool is_mine = now && now->text == chain.front().text;
  const int error = is_mine ? directory_.rename(aside_, kName) : 0;
  for (const LockFile& lock : chain) {
    if (is_mine && error == 0) directory_.remove(successor_of(lock));
  }
  if (!is_mine || error != 0) directory_.remove(claim);
  if (error != 0) throw write_error(directory_.path() / kName, error);
  if (!is_mine) return false;
  log_info("{}: this run took the lock over from host {}, process {}",
           (directory_.path() / kName).string(), chain.back().holder.host, chain.back().holder.pid);
  return true;
}

// True if the process that made this file is dead. A live process has text in its file or a flock
// on it. Without flock, a live process can lose its empty file without harm.
bool RunLock::is_left_by_the_dead(const std::string& name) const {
  try {
    const std::optional<LockFile> lock = read_lock(directory_, name);
    if (!lock) return false;
    if (lock->holder.host.empty()) return lock->is_empty && lock->file_lock != FileLock::kHeld;
    return life_of(lock->holder, lock->file_lock) == Life::kDead;
  } catch (const Error&) {  // the file may be another user's
    return false;
  }
}

// Removes the files of processes that died while they took a lock.
void RunLock::remove_remains() const {
  for (const std::string& name : directory_.names()) {
    if (run_files::kLockAside.matches(name) && is_left_by_the_dead(name)) directory_.remove(name);
  }
}

void RunLock::require_takeable(const Directory& directory, TakeOver allowed) {
  const std::vector<LockFile> chain = chain_of(directory);
  if (!chain.empty()) require_dead(directory, chain.back(), allowed);
}

void RunLock::require_free(const std::filesystem::path& directory) {
  std::error_code absent;
  if (!std::filesystem::is_directory(directory, absent)) return;
  const Directory held(directory);
  const std::vector<LockFile> chain = chain_of(held);
  if (chain.empty() || chain.back().holder.host.empty()) return;
  const LockHolder& holder = chain.back().holder;
  const Life life = life_of(holder, chain.back().file_lock);
  if (life != Life::kDead) fail_not_free(held, holder, life);
}

RunLock::~RunLock() {
  try {
    const std::optional<LockFile> lock = read_lock(directory_, kName);
    if (lock && lock->text == text_) ::unlinkat(directory_.fd(), kName.c_str(), 0);
  } catch (const Error& error) {
    log_warning("run.lock could not be removed, so the run will seem to have been killed: {}",
                error.what());
  }
}

}  // namespace virnucpro
