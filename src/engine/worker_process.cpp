#include "engine/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"

namespace virnucpro {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr int kMomentMilliseconds = 500;
// The longest wait for the end of a killed process. A driver may delay this end.
constexpr int kKillMilliseconds = 1000;

// The two settings objects for posix_spawn. The destructor frees them.
class SpawnSettings {
 public:
  explicit SpawnSettings(int socket) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&files_, socket, kWorkerSocket);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&files_, kWorkerSocket + 1);
    sigset_t blocked;
    ::sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&blocked, signal);
    ::posix_spawnattr_setsigmask(&attributes_, &blocked);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

const int kOutOfMemoryCode = error_info(ErrorKind::kOutOfMemory).exit_code;

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("it was killed by signal {} ({})", signal, ::strsignal(signal));
  }
  if (WEXITSTATUS(status) == kOutOfMemoryCode) return "it ran out of memory";
  return fmt::format("it ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command, const UniqueFd& socket) {
  const SpawnSettings settings(socket.get());
  std::vector<std::string> arguments = command.arguments;
  arguments.insert(arguments.begin(), command.name);
  std::vector<std::pair<std::string, std::string>> replaced;
  if (!command.visible_gpu.empty()) replaced.emplace_back(kVisible, command.visible_gpu);
  std::vector<std::string> variables = environment_with(replaced);
  const int error =
      ::posix_spawn(&id_, command.program.c_str(), settings.files(), settings.attributes(),
                    argument_pointers(arguments).data(), argument_pointers(variables).data());
  if (error == 0) return;
  id_ = -1;
  // EAGAIN means that the system allows no more processes.
  throw Error(
      error == EAGAIN ? ErrorKind::kOutOfMemory : kind_of_failure(error, ErrorKind::kWorkersLost),
      fmt::format("no worker process can be started from {}: {}", command.program.string(),
                  errno_text(error)));
}

WorkerProcess::~WorkerProcess() {
  kill();
  wait_for(kKillMilliseconds);
}

void WorkerProcess::kill() const {
  if (!has_ended_) ::kill(id_, SIGKILL);
}

std::string WorkerProcess::end() {
  if (wait_for(kMomentMilliseconds)) return how_it_ended(status_);
  kill();
  return wait_for(kKillMilliseconds) ? "it closed its connection to the run, but did not end"
                                     : "it cannot be killed, because it waits for the GPU driver";
}

bool WorkerProcess::ran_out_of_memory() const {
  return has_ended_ && WIFEXITED(status_) && WEXITSTATUS(status_) == kOutOfMemoryCode;
}

bool WorkerProcess::wait_for(int milliseconds) {
  for (int waited = 0; !has_ended_ && waited <= milliseconds; ++waited) {
    const pid_t ended = ::waitpid(id_, &status_, WNOHANG);
    has_ended_ = ended == id_ || (ended < 0 && errno != EINTR);
    if (!has_ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return has_ended_;
}

}  // namespace virnucpro
