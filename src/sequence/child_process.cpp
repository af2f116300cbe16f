#include "sequence/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <utility>

#include "base/error.hpp"
#include "base/system_failure.hpp"

namespace virnucpro {
namespace {

// A template because the C libraries disagree about the resource's type.
template <typename Resource>
void set_limit(pid_t process, Resource resource, std::uint64_t value) {
  rlimit limit{};
  if (::prlimit(process, resource, nullptr, &limit) != 0) {
    throw Error(kind_of_failure(errno, ErrorKind::kInputRead), errno_text(errno));
  }
  limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
  if (::prlimit(process, resource, &limit, nullptr) != 0) {
    throw Error(kind_of_failure(errno, ErrorKind::kInputRead), errno_text(errno));
  }
}

constexpr std::uint64_t kNanoseconds = 1'000'000'000;

// Processor time.
std::uint64_t nanoseconds_used(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (const int error = ::clock_getcpuclockid(process, &clock); error != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(error));
  }
  ::clock_gettime(clock, &used);  // fails for a process that has ended, and leaves 0
  return static_cast<std::uint64_t>(used.tv_sec) * kNanoseconds +
         static_cast<std::uint64_t>(used.tv_nsec);
}

// Closes all files but the standard ones and these; a negative number is none.
void close_others(int one, int other) {
  const auto [low, high] = std::minmax(one, other);
  int begin = STDERR_FILENO + 1;
  for (const int kept : {low, high}) {
    if (kept < begin) continue;
    if (kept > begin) {
      ::close_range(static_cast<unsigned>(begin), static_cast<unsigned>(kept - 1), 0);
    }
    begin = kept + 1;
  }
  ::closefrom(begin);
}

void keep_only(int socket, int file) {
  constexpr int kFile = ChildProcess::kFile;
  close_others(socket, file);  // at once, as few files may be allowed
  // First out of the way of the numbers that they get.
  const int own_socket = ::fcntl(socket, F_DUPFD, kFile + 1);
  const int own_file = ::fcntl(file, F_DUPFD, kFile + 1);
  ::dup2(own_socket, STDIN_FILENO);
  ::dup2(own_socket, STDOUT_FILENO);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // libraries report there
  ::closefrom(file < 0 || ::dup2(own_file, kFile) < 0 ? kFile : kFile + 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // it ended before that
}

[[noreturn]] void live(pid_t parent, int socket, int file, const std::function<void()>& work) {
  end_with(parent);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  keep_only(socket, file);
  try {
    work();
  } catch (...) {  // that it ends early says it
  }
  ::_exit(0);
}

constexpr unsigned kPollMilliseconds = 200;

}  // namespace

ChildProcess::~ChildProcess() {
  misdeed();
}

UniqueFd ChildProcess::start(std::string_view for_what, const std::function<void()>& work,
                             int file) {
  SocketPair ends = make_socket_pair();
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) live(parent, ends.other.get(), file, work);
  if (id_ > 0) return std::move(ends.one);
  throw Error(ErrorKind::kOutOfMemory,  // also where no more processes are allowed
              fmt::format("no process can be started to {}: {}", for_what, errno_text(errno)));
}

void ChildProcess::allow(std::uint64_t bytes, std::uint64_t seconds) const {
  set_limit(id_, RLIMIT_DATA, bytes);
  set_limit(id_, RLIMIT_CPU, nanoseconds_used(id_) / kNanoseconds + 1 + seconds);
}

int ChildProcess::wait(int socket, int events, unsigned idle_seconds) {
  const int ready = wait_a_while(socket, events);
  if (ready != 0 || has_computed()) {
    idle_turns_ = 0;
  } else if (++idle_turns_ * kPollMilliseconds >= idle_seconds * 1000) {
    misdeed_ = fmt::format("did nothing for {} seconds", idle_seconds);
    ::kill(id_, SIGKILL);
  }
  return ready;
}

// Since the last look. Its processor time has a limit of its own.
bool ChildProcess::has_computed() {
  const std::uint64_t before = std::exchange(computed_, nanoseconds_used(id_));
  return computed_ != before;
}

std::string ChildProcess::misdeed() {
  if (id_ <= 0) return misdeed_;  // none was started; kill() takes 0 and less for many processes
  ::kill(id_, SIGKILL);
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) misdeed_ = "did something forbidden";
  return misdeed_;
}

std::uint64_t data_bytes() {
  std::array<std::uint64_t, 6> pages{};  // of statm; the sixth is data and stack
  std::ifstream file("/proc/self/statm");
  for (std::uint64_t& count : pages) file >> count;
  return pages.back() * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

SocketPair make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(kind_of_failure(errno, ErrorKind::kInputRead), errno_text(errno));
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

int wait_a_while(int fd, int events) {
  pollfd waiting{.fd = fd, .events = static_cast<short>(events), .revents = 0};
  return ::poll(&waiting, 1, static_cast<int>(kPollMilliseconds)) > 0 ? waiting.revents : 0;
}

}  // namespace virnucpro
