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

namespace virnucpro {
namespace {

// Returns the error of a failed system call, with advice that does not blame the input file.
Error process_error(int error, std::string_view what) {
  Error failure(kind_of_failure(error, ErrorKind::kInputRead),
                fmt::format("{}: {}", what, errno_text(error)));
  if (failure.kind() == ErrorKind::kInputRead) {
    failure.advise("Run again on a system or in a container that allows this.");
  }
  return failure;
}

constexpr std::string_view kNoLimits = "the limits of the decoder process cannot be set";

// This is a template because C libraries declare different types for prlimit()'s `resource`.
template <typename Resource>
void set_limit(pid_t process, Resource resource, std::uint64_t value) {
  rlimit limit{};
  if (::prlimit(process, resource, nullptr, &limit) != 0) throw process_error(errno, kNoLimits);
  limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
  if (::prlimit(process, resource, &limit, nullptr) != 0) throw process_error(errno, kNoLimits);
}

constexpr std::uint64_t kNanoseconds = 1'000'000'000;

// Returns the processor time that a process has used.
std::uint64_t nanoseconds_used(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (const int error = ::clock_getcpuclockid(process, &clock); error != 0) {
    throw process_error(error, "the processor time of the decoder process cannot be read");
  }
  ::clock_gettime(clock, &used);  // fails if the process has ended; `used` is then 0
  return static_cast<std::uint64_t>(used.tv_sec) * kNanoseconds +
         static_cast<std::uint64_t>(used.tv_nsec);
}

void move_to(int to, int from) {
  if (::dup2(from, to) < 0) throw Error(ErrorKind::kInputRead, errno_text(errno));
}

// Copies `socket` to the descriptors 0 and 1, and `file`, unless it is -1, to kFile. Closes all
// other descriptors, and only then opens /dev/null, because the limit of open files may be reached.
// All our programs have 0 to 2 open, so `socket` and `file` are above 2. Errors: kInputRead.
void keep_only(int socket, int file) {
  constexpr int kFile = ChildProcess::kFile;
  move_to(STDIN_FILENO, socket);
  move_to(STDOUT_FILENO, socket);
  if (file >= 0) move_to(kFile, file);
  ::closefrom(file < 0 ? kFile : kFile + 1);
  move_to(STDERR_FILENO, open_retrying("/dev/null", O_WRONLY).get());  // libraries write to stderr
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // the parent ended before prctl()
}

[[noreturn]] void live(pid_t parent, int socket, int file, const std::function<void()>& work) {
  end_with(parent);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  try {
    keep_only(socket, file);
    work();
  } catch (...) {  // the parent notices that the process ended early
  }
  ::_exit(0);
}

constexpr unsigned kPollMilliseconds = 200;

std::uint64_t seconds_of(std::uint64_t turns) {
  return turns * kPollMilliseconds / 1000;
}

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
  throw Error(ErrorKind::kOutOfMemory,  // also if the limit of processes is reached
              fmt::format("no process can be started to {}: {}", for_what, errno_text(errno)));
}

void ChildProcess::allow(std::uint64_t bytes, std::uint64_t seconds) {
  set_limit(id_, RLIMIT_DATA, bytes);
  set_limit(id_, RLIMIT_CPU, nanoseconds_used(id_) / kNanoseconds + 1 + seconds);
  allowed_seconds_ = seconds;
  turns_ = 0;
}

int ChildProcess::wait(int socket, int events, unsigned idle_seconds) {
  const int ready = wait_a_while(socket, events);
  if (ready != 0) {
    idle_turns_ = 0;
    return ready;
  }
  idle_turns_ = has_computed() ? 0 : idle_turns_ + 1;
  ++turns_;
  const std::uint64_t most = allowed_seconds_ * kWaitsOfSecond + idle_seconds;
  if (seconds_of(idle_turns_) >= idle_seconds) {
    end_for(fmt::format("did nothing for {} seconds", idle_seconds));
  } else if (seconds_of(turns_) >= most) {
    end_for(fmt::format("took longer than {} seconds", most));
  }
  return 0;
}

void ChildProcess::end_for(std::string misdeed) {
  misdeed_ = std::move(misdeed);
  ::kill(id_, SIGKILL);
}

// True if the process has used processor time since the last call of this function.
bool ChildProcess::has_computed() {
  const std::uint64_t before = std::exchange(computed_, nanoseconds_used(id_));
  return computed_ != before;
}

std::string ChildProcess::misdeed() {
  if (id_ <= 0) return misdeed_;  // no process; kill(0) or kill(-1) would signal many
  ::kill(id_, SIGKILL);
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) misdeed_ = "made a forbidden system call";
  return misdeed_;
}

std::uint64_t data_bytes() {
  std::array<std::uint64_t, 6> pages{};  // fields of statm; the sixth counts data and stack
  std::ifstream file("/proc/self/statm");
  for (std::uint64_t& count : pages) file >> count;
  return pages.back() * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

SocketPair make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw process_error(errno, "the sockets for talking to the decoder process cannot be made");
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

int wait_a_while(int fd, int events) {
  pollfd waiting{.fd = fd, .events = static_cast<short>(events), .revents = 0};
  return ::poll(&waiting, 1, static_cast<int>(kPollMilliseconds)) > 0 ? waiting.revents : 0;
}

}  // namespace virnucpro
