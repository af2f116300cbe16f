#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// A forked process that decodes untrusted files (CRAM, HDF5). On crafted ones htslib 1.16 takes any
// memory and reads beyond its arrays, and the HDF5 of Debian 12 crashes: here that is an error of
// the input. The process ends with the object, and must not outlive the thread that started it: the
// kernel kills it when that thread ends. Its standard input and output are one socket; it closes
// all other descriptors except one that it is given. If it kept the other end of the socket, it
// would not notice that the parent has ended; if it kept the lock of an output folder, the folder
// would stay locked. It cannot gain rights (NO_NEW_PRIVS); the work should begin with
// filter_system_calls().
class ChildProcess {
 public:
  // The number that the given descriptor has in the process.
  static constexpr int kFile = 3;

  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Starts the process, which does `work` and ends, also if `work` throws. Returns the other end of
  // its socket. `file`: a descriptor that it keeps, or -1. Errors: kOutOfMemory, naming the purpose
  // `for_what`; kInputRead.
  UniqueFd start(std::string_view for_what, const std::function<void()>& work, int file = -1);

  // Limits its data memory (RLIMIT_DATA) and its processor time from now on; it ends when it uses
  // more. Waiting for it is limited, too: see wait(). Errors: kInputRead, if the kernel refuses.
  void allow(std::uint64_t bytes, std::uint64_t seconds);

  // Waits for the process's socket like wait_a_while(). It kills the process, whose socket then
  // ends, in two cases: the process neither computed nor answered for `idle_seconds` of waiting; or
  // all waiting since the last allow() took longer than kWaitsOfSecond for each allowed second of
  // processor time, plus `idle_seconds`. Time between waits (the caller reads a slow input), and
  // time in which all processes were stopped, do not count.
  int wait(int socket, int events, unsigned idle_seconds = kIdleSeconds);

  // Call it after the socket has ended. Returns why the process was killed ("did something
  // forbidden", "did nothing for 120 seconds"); empty if it was not. Kills it if it still runs.
  std::string misdeed();

  // Disks and networks that work take less time.
  static constexpr unsigned kIdleSeconds = 120;
  // So many processes can share a processor, and each still gets its processor time.
  static constexpr unsigned kWaitsOfSecond = 20;

 private:
  bool has_computed();
  void end_for(std::string misdeed);

  pid_t id_ = -1;
  std::uint64_t computed_ = 0;                    // nanoseconds, at the last look
  std::uint64_t allowed_seconds_ = kIdleSeconds;  // of processor time
  std::uint64_t turns_ = 0;                       // waits since they were allowed
  std::uint64_t idle_turns_ = 0;
  std::string misdeed_;
};

// Returns the data memory of this process as RLIMIT_DATA counts it; 0 if /proc does not say.
std::uint64_t data_bytes();

// Two connected sockets: bytes written to one are read from the other.
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
