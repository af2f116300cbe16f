#include "cli/scarce_memory.hpp"

#include <execinfo.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/host.hpp"

namespace virnucpro {
namespace {

// The main thread's stack in bytes: the required and the wanted size. HDF5 needed 70 KiB in tests.
constexpr rlim_t kLeastStack = 256U << 10U;
constexpr rlim_t kGoodStack = 1U << 20U;
// The least stack of all other threads, in bytes. glibc chooses the same size if the stack limit is
// "unlimited".
constexpr std::size_t kThreadStack = 2U << 20U;

struct Caught {
  int signal;
  struct sigaction before;
};
std::array<Caught, 2> caught{{{SIGSEGV, {}}, {SIGABRT, {}}}};
std::terminate_handler terminate_before = nullptr;

// Returns the last message. Composes it at the first call, because later there may be no memory.
const std::string& last_words() {
  static const std::string kText = [] {
    const Error error(ErrorKind::kOutOfMemory, "a library did not get the memory that it needs");
    return fmt::format("virnucpro: error: {}\n  {}\n", error.what(), error.remedy());
  }();
  return kText;
}

[[noreturn]] void end_for_memory() {
  static std::atomic_flag said;
  while (said.test_and_set()) ::pause();  // another thread is already writing the message
  write_all(STDERR_FILENO, last_words());
  ::_exit(error_info(ErrorKind::kOutOfMemory).exit_code);
}

// Ends the program if memory is scarce; leaves other crashes to the earlier handler. After the
// return, a faulting instruction faults again, but a signal from kill() must be raised again.
void on_crash(int signal, siginfo_t* info, void* /*context*/) {
  if (memory_is_scarce()) end_for_memory();
  for (const Caught& one : caught) {
    if (one.signal == signal) ::sigaction(signal, &one.before, nullptr);
  }
  const bool was_sent = info->si_code <= 0;
  if (was_sent) ::raise(signal);
}

// Ends the program with kOutOfMemory if the exception is of that kind. Does not look at the free
// memory: a large allocation may fail although a small one would fit.
[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    if (error_of(exception).kind() == ErrorKind::kOutOfMemory) end_for_memory();
  } catch (...) {  // the earlier handler deals with other types
  }
  terminate_before();
  std::abort();
}

void handle_crashes() {
  last_words();
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (Caught& one : caught) ::sigaction(one.signal, &action, &one.before);
  terminate_before = std::set_terminate(on_terminate);
}

// Makes glibc load libgcc's unwinder now, through backtrace(). Otherwise glibc loads it when an
// exception passes through one of its functions (as under std::call_once), and aborts if there is
// no memory then.
void load_unwinder() {
  std::array<void*, 1> frames{};
  ::backtrace(frames.data(), frames.size());
}

}  // namespace

void prepare_for_scarce_memory() {
  handle_crashes();
  load_unwinder();
}

// Raises the limit, because the kernel checks it when the main thread's stack grows. Also sets the
// default size for other threads, which glibc took from the limit when the process started.
void enlarge_stacks() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0) return;
  if (limit.rlim_cur < kGoodStack) {
    limit.rlim_cur = std::min(kGoodStack, limit.rlim_max);
    ::setrlimit(RLIMIT_STACK, &limit);
  }
  if (limit.rlim_cur < kLeastStack) {
    throw Error(ErrorKind::kOutOfMemory,
                fmt::format("the hard limit of the stack is {} KiB, and {} KiB are needed",
                            limit.rlim_cur >> 10U, kLeastStack >> 10U))
        .advised(
            "Start a new shell if you ran ulimit -s; else raise the limit of the job or "
            "container.");
  }
  pthread_attr_t attributes{};
  std::size_t bytes = 0;
  if (::pthread_getattr_default_np(&attributes) != 0) return;
  if (::pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < kThreadStack &&
      ::pthread_attr_setstacksize(&attributes, kThreadStack) == 0) {
    ::pthread_setattr_default_np(&attributes);
  }
  ::pthread_attr_destroy(&attributes);
}

}  // namespace virnucpro
