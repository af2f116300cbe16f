#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace virnucpro {

// The descriptor that a worker process has its socket as.
inline constexpr int kWorkerSocket = 3;
// What makes a worker of this program.
inline constexpr const char* kWorkerArgument = "worker";

struct WorkerCommand {
  std::filesystem::path program;
  std::string name;                    // what ps and top call it; at most 15 letters
  std::vector<std::string> arguments;  // after the name
  std::string visible_gpu;             // its CUDA_VISIBLE_DEVICES; empty: as it is here
};

// A worker process seen from the one that started it. It has the socket, standard error and nothing
// else of this process; signals to stop are blocked in it until it knows what to do with them.
//
// It must not outlive the thread that started it: the worker asks the kernel to be killed then.
class WorkerProcess {
 public:
  // Errors: kOutOfMemory when no process can be started.
  WorkerProcess(const WorkerCommand& command, const UniqueFd& socket);
  // Kills it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t id() const { return id_; }
  // Does not wait for its end, as the destructor does: a driver may take a second to clear up.
  void kill() const;
  // Waits a moment for a process whose socket is closed, then kills it; how it ended: "it was
  // killed by signal 9 (Killed)".
  std::string end();

 private:
  bool wait_for(int milliseconds);

  pid_t id_ = -1;
  bool has_ended_ = false;
  int status_ = 0;
};

}  // namespace virnucpro
