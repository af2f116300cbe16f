#include "sequence/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
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

std::uint64_t seconds_used(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (const int error = ::clock_getcpuclockid(process, &clock); error != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(error));
  }
  ::clock_gettime(clock, &used);  // fails for a process that has ended, and leaves 0
  return static_cast<std::uint64_t>(used.tv_sec) + 1;
}

void keep_only(int socket) {
  ::dup2(socket, STDIN_FILENO);
  ::dup2(socket, STDOUT_FILENO);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // libraries report there
  ::closefrom(STDERR_FILENO + 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

[[noreturn]] void live(int socket, const std::function<void()>& work) {
  keep_only(socket);
  try {
    work();
  } catch (...) {  // that it ends early says it
  }
  ::_exit(0);
}

constexpr int kPollMilliseconds = 200;

}  // namespace

ChildProcess::~ChildProcess() {
  if (id <= 0) return;  // none was started; kill() takes 0 and less for many processes
  ::kill(id, SIGKILL);
  while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

UniqueFd ChildProcess::start(std::string_view for_what, const std::function<void()>& work) {
  SocketPair ends = make_socket_pair();
  id = ::fork();
  if (id == 0) live(ends.other.get(), work);
  if (id > 0) return std::move(ends.one);
  throw Error(ErrorKind::kOutOfMemory,  // also where no more processes are allowed
              fmt::format("no process can be started to {}: {}", for_what, errno_text(errno)));
}

void ChildProcess::allow(std::uint64_t bytes, std::uint64_t seconds) const {
  set_limit(id, RLIMIT_DATA, bytes);
  set_limit(id, RLIMIT_CPU, seconds_used(id) + seconds);
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
  return ::poll(&waiting, 1, kPollMilliseconds) > 0 ? waiting.revents : 0;
}

}  // namespace virnucpro
