#pragma once

#include <sys/types.h>

#include <cstdint>

namespace virnucpro {

// A forked process; the destructor kills it.
struct ChildProcess {
  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Limits its data memory (RLIMIT_DATA) and its processor time from now on; it ends when it uses
  // more. Errors: kInputRead if the kernel refuses.
  void allow(std::uint64_t bytes, std::uint64_t seconds) const;

  pid_t id = -1;
};

// The data memory of this process as RLIMIT_DATA counts it; 0 if /proc does not say.
std::uint64_t data_bytes();

// For a process just forked to read untrusted data: keeps one socket as standard input and output,
// and closes all else. An open end of the parent's socket, or the lock of an output folder, would
// let it outlive its parent, which alone decides when it ends.
void keep_only(int socket);

}  // namespace virnucpro
