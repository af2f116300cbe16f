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

// A worker process, seen by its parent. It has only two of the parent's files, the socket and
// standard error; signals to stop are blocked in it until it can handle them.
//
// It must not outlive the thread that started it: the kernel kills it when that thread ends.
class WorkerProcess {
 public:
  // Errors: kWorkersLost if the program cannot be started; kOutOfMemory, kTooManyFiles.
  WorkerProcess(const WorkerCommand& command, const UniqueFd& socket);
  // Kills it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t id() const { return id_; }
  // Kills without waiting, unlike the destructor: a driver may need a second to clean up.
  void kill() const;
  // Waits briefly for the process, then kills it. Call it when the socket was closed. Returns how
  // the process ended: "it was killed by signal 9 (Killed)".
  std::string end();
  // True if it ended with that error's exit code. Call it after end().
  bool ran_out_of_memory() const;

 private:
  bool wait_for(int milliseconds);

  pid_t id_ = -1;
  bool has_ended_ = false;
  int status_ = 0;
};

}  // namespace virnucpro
