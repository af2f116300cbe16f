#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>

#include "base/cancel.hpp"
#include "base/file.hpp"

namespace virnucpro {

// Copies a pipe or terminal into a socket of our own, on a thread that stops when it is cancelled.
// A direct read of a silent pipe cannot be cancelled: only the end of the pipe stops it.
class PipeRelay {
 public:
  PipeRelay(UniqueFd source, const Cancel& cancel);
  // Close the output first: the copy may be waiting for its reader.
  ~PipeRelay();
  PipeRelay(const PipeRelay&) = delete;
  PipeRelay& operator=(const PipeRelay&) = delete;

  // Returns the socket from which to read the copy; call it once. The socket ends when the source
  // ends or fails, or at a cancellation.
  UniqueFd release_output();
  // Returns errno of the source's failure, or 0. It is valid once the socket has ended.
  int error() const { return error_; }

 private:
  void serve();
  bool wait_for_data() const;
  bool send_all(std::span<const char> bytes) const;

  const Cancel& cancel_;
  UniqueFd source_;
  UniqueFd input_;
  UniqueFd output_;
  std::atomic<int> error_{0};
  std::atomic<bool> stop_{false};
  std::array<char, 64U << 10U> buffer_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace virnucpro
