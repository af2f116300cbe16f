#include "measure/timing/child_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <optional>
#include <thread>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/time.hpp"

namespace virnucpro {
namespace {

constexpr std::chrono::milliseconds kLook{2};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

UniqueFd open_log(const std::filesystem::path& path) {
  if (is_log_file(path)) {
    throw Error(ErrorKind::kOutputExists, Place{.file = path.string()},
                "this program already writes its own log to it");
  }
  ::unlink(path.c_str());  // removes an earlier log, or only a link to it
  UniqueFd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (log.get() < 0) throw write_error(path, errno);
  return log;
}

// A child process. The destructor kills it if it still runs.
class Child {
 public:
  explicit Child(const ChildCall& call) {
    const UniqueFd log = open_log(call.log);
    posix_spawn_file_actions_t files{};
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, log.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, log.get(), STDERR_FILENO);
    std::vector<std::string> arguments = call.arguments;
    arguments.insert(arguments.begin(), call.program.string());
    std::vector<std::string> variables = environment_with(call.variables);
    posix_spawnattr_t attributes{};
    ::posix_spawnattr_init(&attributes);
    // The child has its own process group, so that its children are stopped with it.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error =
        ::posix_spawn(&id_, call.program.c_str(), &files, &attributes,
                      argument_pointers(arguments).data(), argument_pointers(variables).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
      throw Error(ErrorKind::kInputMissing, Place{.file = call.program.string()},
                  "the program cannot be started: " + errno_text(error));
    }
  }
  ~Child() {
    if (end_) return;
    ::kill(-id_, SIGKILL);
    look(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void stop() const { ::kill(-id_, SIGTERM); }  // asks the whole process group to end

  // Returns how the child ended, or an empty value while the child runs.
  const std::optional<ChildEnd>& look(int options = WNOHANG) {
    int status = 0;
    rusage usage{};
    if (end_ || ::wait4(id_, &status, options, &usage) != id_) return end_;
    end_ = ChildEnd{.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                    .seconds = watch_.seconds(),
                    .cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
                    .peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
    return end_;
  }

 private:
  const StopWatch watch_;
  pid_t id_ = -1;
  std::optional<ChildEnd> end_;
};

}  // namespace

ChildEnd run_child(const ChildCall& call, const Cancel& cancel) {
  cancel.check();
  Child child(call);
  const double patience = std::chrono::duration<double>(call.patience).count();
  std::optional<StopWatch> asked_to_stop;
  while (!child.look()) {
    std::this_thread::sleep_for(kLook);
    if (!cancel.requested()) continue;
    if (!asked_to_stop) {
      child.stop();
      asked_to_stop.emplace();
    }
    if (asked_to_stop->seconds() > patience) cancel.check();
  }
  cancel.check();
  return *child.look();
}

std::string last_lines(const std::filesystem::path& log) {
  constexpr std::size_t kLines = 3;
  std::ifstream file(log);
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    lines.push_back(line);
    if (lines.size() > kLines) lines.pop_front();
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace virnucpro
