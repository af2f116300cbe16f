#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/cancel.hpp"
#include "download/http_client.hpp"

namespace virnucpro {

// Decides how often a failed request is sent again. The waits are 1, 2, 4 … 30 s, or the time that
// the server asks for (Retry-After), at most a minute.
class Attempts {
 public:
  Attempts(std::uint64_t retries, const Cancel& cancel) : retries_(retries), cancel_(cancel) {}

  // Waits and returns true; returns false if no attempt is left. Logs the reason for the wait.
  // Errors: those of Cancel.
  bool wait_for_next(const std::string& why, std::optional<std::uint64_t> asked_seconds);
  // Gives all attempts back, after progress (see Pace).
  void start_over() { used_ = 0; }

 private:
  std::uint64_t retries_;
  const Cancel& cancel_;
  std::uint64_t used_ = 0;
};

// True if a failed request may succeed later: the server is busy or broken, or the connection was
// lost.
bool may_pass(const HttpReply& reply);
// Says for people why a request failed: "the server answered 404", "Could not resolve host: …".
std::string failure_text(const HttpReply& reply);

}  // namespace virnucpro
