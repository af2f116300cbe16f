#include "cli/signals.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/terminal.hpp"

namespace virnucpro {
namespace {

std::atomic<Cancel*> target{nullptr};
static_assert(std::atomic<Cancel*>::is_always_lock_free, "`target` is used in a signal handler");
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "Cancel is used in a signal handler");

int exit_code_after(int signal) {
  return error_info(signal == SIGINT ? ErrorKind::kInterrupted : ErrorKind::kTerminated).exit_code;
}

[[noreturn]] void end_at_once(int code) {
  terminal_last_words(
      "virnucpro: ended at once by a second signal; what was not yet saved is lost");
  remove_temporary_folders();
  ::_exit(code);
}

void on_signal(int signal) {
  Cancel* cancel = target.load(std::memory_order_acquire);
  if (cancel->repeats(signal)) return;
  if (cancel->requested()) end_at_once(exit_code_after(signal));
  cancel->request(signal);
}

// The stack for on_signal(), which must not run on a computing thread's stack (SignalsBlocked).
alignas(std::max_align_t) std::array<std::byte, std::size_t{64} << 10U> handler_stack;

}  // namespace

void handle_signals(Cancel& cancel) {
  target.store(&cancel, std::memory_order_release);
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART a signal interrupts a read from a pipe; the reader then checks `cancel`.
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction inherited {};
  ::sigaction(SIGHUP, nullptr, &inherited);
  // Under nohup, closing the terminal must not stop the program.
  if (inherited.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
  action.sa_flags = 0;
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  ::sigaction(SIGXFSZ, &action, nullptr);  // so that write() reports a limit on file sizes
}

}  // namespace virnucpro
