#include "base/cancel.hpp"

#include <csignal>

namespace virnucpro {

void Cancel::check() const {
  if (!requested()) return;
  const bool terminated = signal_.load(std::memory_order_relaxed) == SIGTERM;
  throw Error(terminated ? ErrorKind::kTerminated : ErrorKind::kInterrupted,
              terminated ? "by SIGTERM" : "by the user");
}

void Cancel::check_late() const {
  if (late()) check();
}

}  // namespace virnucpro
