#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// A forked process that decodes untrusted files (CRAM, HDF5). If it crashes, only the input fails.
// Crafted files make htslib 1.16 allocate any amount of memory and read beyond its arrays, and they
// crash the HDF5 of Debian 12. The destructor kills the process, and so does the kernel if the
// thread that called start() ends. The process's standard input and output are one socket. The
// process closes all other descriptors except the file given to start(): otherwise it would hold
// the lock of an output folder, and, with both ends of the socket open, would not notice that the
// parent has ended. The process cannot gain rights (NO_NEW_PRIVS). The `work` of start() should
// begin with filter_system_calls().
class ChildProcess {
 public:
  // The descriptor number that `file` of start() gets in the process.
  static constexpr int kFile = 3;

  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Starts the process, which calls `work` and then ends, even if `work` throws. Returns the
  // parent's end of the socket. The process keeps the descriptor `file`; -1 means none. Errors:
  // kOutOfMemory, whose message says with `for_what` why the process was needed; kInputRead.
  UniqueFd start(std::string_view for_what, const std::function<void()>& work, int file = -1);

  // Limits the process's data memory (RLIMIT_DATA), and its processor time from now on. Beyond
  // these limits, allocations fail, or the kernel kills the process. Errors: kInputRead.
  void allow(std::uint64_t bytes, std::uint64_t seconds);

  // Waits for `events` on the process's socket, like wait_a_while(). Kills the process, which ends
  // the socket, in two cases:
  // 1. In `idle_seconds` of waiting, the process used no processor time and caused no event.
  // 2. Since the last allow(), all waits without an event took kWaitsOfSecond times the seconds
  //    given to allow(), plus `idle_seconds`.
  // Only time within wait() counts, because the caller may read a slow input between two calls.
  // Time in which all processes were stopped does not count.
  int wait(int socket, int events, unsigned idle_seconds = kIdleSeconds);

  // Returns why the process was killed ("made a forbidden system call", "did nothing for 120
  // seconds"); else empty. Kills a process that still runs, so call it after the socket has ended.
  std::string misdeed();

  // The limit for an idle process, in seconds. Disks and networks that work answer sooner.
  static constexpr unsigned kIdleSeconds = 120;
  // Seconds to wait for each allowed second of processor time: processes may share a processor.
  static constexpr unsigned kWaitsOfSecond = 20;

 private:
  bool has_computed();
  void end_for(std::string misdeed);

  pid_t id_ = -1;
  std::uint64_t computed_ = 0;                    // ns of processor time used until the last wait
  std::uint64_t allowed_seconds_ = kIdleSeconds;  // allowed processor time
  std::uint64_t turns_ = 0;                       // waits without an event since allow()
  std::uint64_t idle_turns_ = 0;
  std::string misdeed_;
};

// Returns this process's data memory in bytes, as RLIMIT_DATA counts it; 0 if /proc cannot be read.
std::uint64_t data_bytes();

// Two connected sockets: bytes written to one are read from the other.
struct SocketPair {
  UniqueFd one;
  UniqueFd other;
};

// Creates two connected sockets. Errors: kInputRead.
SocketPair make_socket_pair();

// Waits at most 0.2 s for one of poll()'s `events`, so that the caller can check for a cancellation
// in time. Returns the events that occurred, or 0.
int wait_a_while(int fd, int events);

}  // namespace virnucpro
