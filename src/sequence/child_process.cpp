#include "sequence/child_process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace virnucpro {

ChildProcess::~ChildProcess() {
  if (id <= 0) return;  // none was started; to kill(), 0 and less are many processes
  ::kill(id, SIGKILL);
  while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
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

}  // namespace virnucpro
