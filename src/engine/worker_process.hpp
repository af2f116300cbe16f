#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace virnucpro {

// The file descriptor of a worker process's socket.
inline constexpr int kWorkerSocket = 3;
// The argument that makes this program a worker.
inline constexpr const char* kWorkerArgument = "worker";

struct WorkerCommand {
  std::filesystem::path program;
  std::string name;                    // name in ps and top; at most 15 letters
  std::vector<std::string> arguments;  // after the name
  std::string visible_gpu;             // its CUDA_VISIBLE_DEVICES; empty: unchanged
};

// A worker process, as its parent sees it. It has only two of the parent's files, the socket and
// standard error, which is the run's own: the run reads none of it, so a worker cannot fill the
// run's memory that way. Signals to stop are blocked in the process until it can handle them.
//
// This object must not outlive the thread that made it: that thread's end kills the process.
class WorkerProcess {
 public:
  // Throws kWorkersLost if the program cannot be started, or kOutOfMemory, kTooManyFiles.
  WorkerProcess(const WorkerCommand& command, const UniqueFd& socket);
  // Kills the process.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t id() const { return id_; }
  // Kills without waiting, unlike the destructor: a driver may need a second to clean up.
  void kill() const;
  // Waits briefly for the process, then kills it. Call it when the socket was closed. Returns a
  // text on the end: "it was killed by signal 9 (Killed)".
  std::string end();
  // True if the process ended with that error's exit code. Call it after end().
  bool ran_out_of_memory() const;

 private:
  bool wait_for(int milliseconds);

  pid_t id_ = -1;
  bool has_ended_ = false;
  int status_ = 0;
};

}  // namespace virnucpro
