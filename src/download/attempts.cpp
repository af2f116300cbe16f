#include "download/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/log.hpp"
#include "base/time.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kLongestWait = 30;       // seconds
constexpr std::uint64_t kLongestAskedWait = 60;  // seconds; a longer Retry-After is cut to this
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

bool Attempts::wait_for_next(const std::string& why, std::optional<std::uint64_t> asked_seconds) {
  if (used_ == retries_) return false;
  const std::uint64_t own =
      std::min(std::uint64_t{1} << std::min(used_, std::uint64_t{8}), kLongestWait);
  const std::uint64_t seconds =
      std::max(own, std::min(asked_seconds.value_or(0), kLongestAskedWait));
  ++used_;
  log_warning("{}; attempt {} of {} follows in {} s", why, used_ + 1, retries_ + 1, seconds);
  const StopWatch watch;
  while (watch.seconds() < static_cast<double>(seconds)) {
    cancel_.check();
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

bool may_pass(const HttpReply& reply) {
  if (reply.hopeless) return false;
  if (!reply.failure.empty()) return true;
  return reply.status == 408 || reply.status == 429 || reply.status >= 500;
}

std::string failure_text(const HttpReply& reply) {
  if (!reply.failure.empty()) return reply.failure;
  const bool refused = reply.status == 401 || reply.status == 403;
  return fmt::format("the server answered {}{}", reply.status,
                     refused ? " (if the file needs a login, set HF_TOKEN)" : "");
}

}  // namespace virnucpro
