#include "journal/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/host_name.hpp"
#include "base/log.hpp"
#include "base/regular_file.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestLockFile = 4096;

[[noreturn]] void fail_write(const std::filesystem::path& path, int error) {
  throw write_error(path, error);
}

[[noreturn]] void fail_busy(const std::filesystem::path& path, const LockHolder& holder) {
  const std::string who = holder.host.empty()
                              ? "its holder did not write its name yet"
                              : fmt::format("host {}, process {}", holder.host, holder.pid);
  throw Error(ErrorKind::kOutputBusy, Place{.file = path.string()}, who);
}

// Whether we got the lock; empty when the file system has no such locks.
std::optional<bool> flock_now(int fd, int kind) {
  while (::flock(fd, kind | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return std::nullopt;
  }
  return true;
}

// Whether `path` still names the file open as `fd`; a later run may have put another one there.
bool is_same_file(int fd, const std::filesystem::path& path) {
  struct stat open_file {};
  struct stat named {};
  return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

// Returns 0, or errno.
int write_name(int fd) {
  const std::string text = fmt::format("{} {}\n", host_name(), ::getpid());
  if (::ftruncate(fd, 0) != 0) return errno;
  const ssize_t done = ::pwrite(fd, text.data(), text.size(), 0);
  if (done < 0) return errno;
  return static_cast<std::size_t>(done) == text.size() ? 0 : ENOSPC;
}

}  // namespace

LockHolder read_lock_holder(const std::filesystem::path& path) {
  std::istringstream text(read_small_file(path, kLongestLockFile, ErrorKind::kOutputWrite));
  LockHolder holder;
  if (!(text >> holder.host >> holder.pid) || holder.pid <= 0) return {};
  return holder;
}

bool may_be_alive(const LockHolder& holder) {
  if (holder.host.empty()) return false;
  if (holder.host != host_name()) return true;
  return holder.pid != ::getpid() && (::kill(holder.pid, 0) == 0 || errno == EPERM);
}

RunLock::RunLock(const std::filesystem::path& directory) : path_(run_files::kLock.in(directory)) {
  while (!try_take()) continue;
}

// False when the file vanished while it was being locked, because its holder just ended.
bool RunLock::try_take() {
  UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (fd.get() < 0) fail_write(path_, errno);
  const std::optional<bool> locked = flock_now(fd.get(), LOCK_EX);
  const bool in_place = is_same_file(fd.get(), path_);
  if (!in_place) return false;
  const LockHolder holder = read_lock_holder(path_);
  if (!locked.value_or(!may_be_alive(holder))) fail_busy(path_, holder);
  if (!holder.host.empty()) {
    log_info("{}: taken over from host {}, process {}, which is gone", path_.string(), holder.host,
             holder.pid);
  }
  if (const int error = write_name(fd.get()); error != 0) {
    ::unlink(path_.c_str());  // without a name it would be useless
    fail_write(path_, error);
  }
  fd_ = std::move(fd);
  return true;
}

void RunLock::require_free(const std::filesystem::path& directory) {
  const std::filesystem::path path = run_files::kLock.in(directory);
  if (!other_kind_of(path).empty()) return;  // no run holds a link or a pipe
  const UniqueFd fd = open_regular_file(path, O_RDONLY);
  if (fd.get() < 0 && errno == ENOENT) return;
  if (fd.get() < 0) fail_write(path, errno);
  const std::optional<bool> free = flock_now(fd.get(), LOCK_SH);
  const LockHolder holder = read_lock_holder(path);
  if (!free.value_or(!may_be_alive(holder))) fail_busy(path, holder);
}

RunLock::~RunLock() {
  ::unlink(path_.c_str());
}

}  // namespace virnucpro
