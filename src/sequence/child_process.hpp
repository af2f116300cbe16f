#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// A forked process that decodes untrusted files (CRAM, HDF5). On crafted files htslib 1.16 takes
// any amount of memory and reads beyond its arrays, and the HDF5 of Debian 12 crashes. Here a crash
// is only an error of the input. The process ends with the object; the kernel also kills it when
// the thread that started it ends. Its standard input and output are one socket. It closes all
// other descriptors except the file given to start(): with the other end of the socket it would not
// notice that the parent has ended; with the lock of an output folder it would keep the folder
// locked. It cannot gain rights (NO_NEW_PRIVS); the work should begin with filter_system_calls().
class ChildProcess {
 public:
  // The number that the descriptor `file` of start() has in the process.
  static constexpr int kFile = 3;

  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Starts the process, which does `work` and ends, also if `work` throws. Returns the other end of
  // the process's socket. `file` is a descriptor that the process keeps, or -1. Errors:
  // kOutOfMemory, which names the purpose `for_what`; kInputRead.
  UniqueFd start(std::string_view for_what, const std::function<void()>& work, int file = -1);

  // Limits the process's data memory (RLIMIT_DATA) and its processor time from now on; it ends when
  // it uses more. wait() has limits, too. Errors: kInputRead, if the kernel refuses.
  void allow(std::uint64_t bytes, std::uint64_t seconds);

  // Waits for the process's socket like wait_a_while(). It kills the process, so that the socket
  // ends, in two cases: the process neither computed nor answered for `idle_seconds` of waiting; or
  // all waiting since the last allow() took longer than kWaitsOfSecond for each allowed second of
  // processor time, plus `idle_seconds`. Time between waits (the caller reads a slow input), and
  // time in which all processes were stopped, do not count.
  int wait(int socket, int events, unsigned idle_seconds = kIdleSeconds);

  // Returns why the process was killed ("did something forbidden", "did nothing for 120 seconds");
  // empty if it was not. Kills a process that still runs. Call it after the socket has ended.
  std::string misdeed();

  // Disks and networks that work answer sooner.
  static constexpr unsigned kIdleSeconds = 120;
  // This many processes can share a processor, and each still gets its processor time.
  static constexpr unsigned kWaitsOfSecond = 20;

 private:
  bool has_computed();
  void end_for(std::string misdeed);

  pid_t id_ = -1;
  std::uint64_t computed_ = 0;                    // nanoseconds, at the last has_computed()
  std::uint64_t allowed_seconds_ = kIdleSeconds;  // of processor time
  std::uint64_t turns_ = 0;                       // waits since the last allow()
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

// Creates the pair. Errors: kInputRead.
SocketPair make_socket_pair();

// Waits for one of poll()'s `events`, but only briefly, so that the caller soon sees a
// cancellation. Returns the events that came, or 0.
int wait_a_while(int fd, int events);

}  // namespace virnucpro
