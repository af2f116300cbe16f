#pragma once

#include <sys/types.h>

namespace virnucpro {

// A process that was forked, ended at the end of its life.
struct ChildProcess {
  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id = -1;
};

// In a process that was just forked, to read what nobody vouches for: leaves it one socket, as its
// standard input and output, and nothing else. With the other end of that open here, or the lock of
// an output folder, it would outlive the one who started it, who alone decides when it ends.
void keep_only(int socket);

}  // namespace virnucpro
