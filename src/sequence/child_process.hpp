#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// A forked process that reads untrusted files. It ends with the object, and must not outlive the
// thread that started it: the kernel kills it when that thread ends. Its standard input and output
// are one socket; it closes all other descriptors but one that it is given. If it kept the other
// end of the socket, it would not notice that the parent has ended; if it kept the lock of an
// output folder, the folder would stay locked. It cannot gain rights (NO_NEW_PRIVS); the work
// should begin with filter_system_calls().
class ChildProcess {
 public:
  // In the process, the file that it was given.
  static constexpr int kFile = 3;

  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Does `work` in the process, which ends then, or when something is thrown. Returns the other end
  // of its socket. `file`: a descriptor that it keeps, or -1. Errors: kOutOfMemory, naming what the
  // process is `for_what`; kInputRead.
  UniqueFd start(std::string_view for_what, const std::function<void()>& work, int file = -1);

  // Limits its data memory (RLIMIT_DATA) and its processor time from now on; it ends when it uses
  // more. Waiting for it is limited, too: see wait(). Errors: kInputRead, if the kernel refuses.
  void allow(std::uint64_t bytes, std::uint64_t seconds);

  // As wait_a_while(), for the process's socket. A process is killed, and then its socket ends,
  // when it neither computes nor answers for `idle_seconds` of such waits, or when these are more,
  // since the last allow(), than kWaitsOfSecond for each second of processor time and
  // `idle_seconds`. What the caller does between waits (read a slow input), and a time in which all
  // were stopped, do not count.
  int wait(int socket, int events, unsigned idle_seconds = kIdleSeconds);

  // After the end of its socket: why it ended, if it did what it may not: "did something
  // forbidden", "did nothing for 120 seconds"; else empty. It is killed if it still runs.
  std::string misdeed();

  // Longer than disks and networks take that work.
  static constexpr unsigned kIdleSeconds = 120;
  // Where as many processes share a processor, it still gets its processor time.
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
