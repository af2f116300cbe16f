#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace virnucpro {

// The file descriptor number of the socket in a worker process.
inline constexpr int kWorkerSocket = 3;
// The argument that makes this program a worker.
inline constexpr const char* kWorkerArgument = "worker";

struct WorkerCommand {
  std::filesystem::path program;
  std::string name;                    // shown by ps and top; at most 15 letters
  std::vector<std::string> arguments;  // without the name
  std::string visible_gpu;             // value of CUDA_VISIBLE_DEVICES; empty: unchanged
};

// A worker process, as its parent sees it. The process inherits only two files: the socket and
// standard error. The parent does not read that standard error, so a worker cannot fill the
// parent's memory through it. SIGINT, SIGTERM and SIGHUP are blocked in the process until it can
// handle them.
//
// This object must not outlive the thread that made it: the end of that thread kills the process.
class WorkerProcess {
 public:
  // Starts the process. Errors: kWorkersLost, kOutOfMemory, kTooManyFiles.
  WorkerProcess(const WorkerCommand& command, const UniqueFd& socket);
  // Kills the process and waits for its end, at most a second.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t id() const { return id_; }
  // Kills the process, but does not wait for its end, which a driver may delay by a second.
  void kill() const;
  // Waits half a second for the process, then kills it. Call this when the socket was closed.
  // Returns how the process ended: "it was killed by signal 9 (Killed)".
  std::string end();
  // True if the process's exit code is that of kOutOfMemory. Call this after end().
  bool ran_out_of_memory() const;

 private:
  bool wait_for(int milliseconds);

  pid_t id_ = -1;
  bool has_ended_ = false;
  int status_ = 0;
};

}  // namespace virnucpro
