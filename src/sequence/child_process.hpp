#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// A forked process that reads untrusted files. It ends with the object. Its standard input and
// output are one socket; it closes all other descriptors. If it kept the other end of the socket,
// it would not notice that the parent has ended; if it kept the lock of an output folder, the
// folder would stay locked.
struct ChildProcess {
  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Does `work` in the process, which ends then, or when something is thrown. Returns the other end
  // of its socket. Errors: kOutOfMemory, naming what the process is `for_what`; kInputRead.
  UniqueFd start(std::string_view for_what, const std::function<void()>& work);

  // Limits its data memory (RLIMIT_DATA) and its processor time from now on; it ends when it uses
  // more. Errors: kInputRead, if the kernel refuses.
  void allow(std::uint64_t bytes, std::uint64_t seconds) const;

  pid_t id = -1;
};

// The data memory of this process as RLIMIT_DATA counts it; 0 if /proc does not say.
std::uint64_t data_bytes();

// Two connected sockets: what is written to one is read from the other.
struct SocketPair {
  UniqueFd one;
  UniqueFd other;
};

// Errors: kInputRead.
SocketPair make_socket_pair();

// Waits for one of poll()'s `events`, for a short time, so that a cancellation is seen soon.
// Returns the events that came, 0 for none.
int wait_a_while(int fd, int events);

}  // namespace virnucpro
