#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>

#include "base/cancel.hpp"
#include "base/file.hpp"

namespace virnucpro {

// Copies a pipe or terminal into a socket, on a thread that a cancellation stops. Without the copy,
// a read from a pipe that sends nothing could not be cancelled.
class PipeRelay {
 public:
  PipeRelay(UniqueFd source, const Cancel& cancel);
  // Close the socket of release_output() first: the thread may wait until its data is read.
  ~PipeRelay();
  PipeRelay(const PipeRelay&) = delete;
  PipeRelay& operator=(const PipeRelay&) = delete;

  // Returns the socket from which to read the copy; call it once. The socket ends when the source
  // ends or fails, or at a cancellation.
  UniqueFd release_output();
  // Returns the errno of a failed read from the source, or 0. Call it after the socket has ended.
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
  std::thread thread_;  // last, because it uses all other members
};

}  // namespace virnucpro
