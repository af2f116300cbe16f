#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/cancel.hpp"
#include "download/http_client.hpp"

namespace virnucpro {

// Decides how often a failed request is sent again. Waits for 1, 2, 4 … 30 s before an attempt, or
// longer if the server asks for it (Retry-After), but for at most 60 s.
class Attempts {
 public:
  Attempts(std::uint64_t retries, const Cancel& cancel) : retries_(retries), cancel_(cancel) {}

  // Logs `why`, waits and returns true; returns false at once if no attempt is left. Errors: those
  // of Cancel.
  bool wait_for_next(const std::string& why, std::optional<std::uint64_t> asked_seconds);
  // Makes all attempts available again, after progress (see Pace).
  void start_over() { used_ = 0; }

 private:
  std::uint64_t retries_;
  const Cancel& cancel_;
  std::uint64_t used_ = 0;
};

// Returns true if the request may succeed later, because the server is busy or broken, or the
// connection was lost.
bool may_pass(const HttpReply& reply);
// Returns why a request failed, in words: "the server answered 404", "Could not resolve host: …".
std::string failure_text(const HttpReply& reply);

}  // namespace virnucpro
