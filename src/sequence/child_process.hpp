#pragma once

#include <sys/types.h>

#include <cstdint>

namespace virnucpro {

// A process that was forked, ended at the end of its life.
struct ChildProcess {
  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Data memory (RLIMIT_DATA) and, from now on, time of a processor: it ends when it uses more.
  // Errors: kInputRead, where the kernel refuses.
  void allow(std::uint64_t bytes, std::uint64_t seconds) const;

  pid_t id = -1;
};

// Data memory of this process, as that limit counts it; 0 where /proc does not tell.
std::uint64_t data_bytes();

// In a process that was just forked, to read what nobody vouches for: leaves it one socket, as its
// standard input and output, and nothing else. With the other end of that open here, or the lock of
// an output folder, it would outlive the one who started it, who alone decides when it ends.
void keep_only(int socket);

}  // namespace virnucpro
