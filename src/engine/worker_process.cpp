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
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES=";
constexpr int kMomentMilliseconds = 500;
// One that hangs in its driver cannot be killed before that lets it go, which nobody waits for.
constexpr int kKillMilliseconds = 1000;

// posix_spawn's two settings, freed at the end.
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

// Texts as a C program takes them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::string& visible_gpu) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool is_replaced =
        !visible_gpu.empty() && std::string_view(*variable).starts_with(kVisible);
    if (!is_replaced) variables.emplace_back(*variable);
  }
  if (!visible_gpu.empty()) variables.push_back(kVisible + visible_gpu);
  return variables;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("it was killed by signal {} ({})", signal, ::strsignal(signal));
  }
  return fmt::format("it ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command, const UniqueFd& socket) {
  const SpawnSettings settings(socket.get());
  std::vector<std::string> words = command.arguments;
  words.insert(words.begin(), command.name);
  std::vector<std::string> variables = environment_with(command.visible_gpu);
  const int error =
      ::posix_spawn(&id_, command.program.c_str(), settings.files(), settings.attributes(),
                    pointers(words).data(), pointers(variables).data());
  if (error == 0) return;
  id_ = -1;
  throw Error(ErrorKind::kOutOfMemory, "no worker process can be started: " + errno_text(error));
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
  return wait_for(kKillMilliseconds) ? "it closed its socket and did not end"
                                     : "it cannot be killed: its driver holds it";
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
