#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>

#include "base/cancel.hpp"
#include "base/file.hpp"

namespace virnucpro {

// Copies what a pipe or terminal gives into a socket of our own, on a thread that ends the copy as
// soon as it is cancelled. htslib reads again after every signal, so that only the end of what it
// reads from can wake it: the silent pipe itself cannot be ended from here.
class PipeRelay {
 public:
  PipeRelay(UniqueFd source, const Cancel& cancel);
  // The output must be closed by now: the copy may be waiting for its reader.
  ~PipeRelay();
  PipeRelay(const PipeRelay&) = delete;
  PipeRelay& operator=(const PipeRelay&) = delete;

  // Where the copy is read; to be taken once. Its end is that of the source, an error of it, or the
  // cancellation.
  UniqueFd release_output();
  // errno of the source's failure, 0 without one. Known once the output is at its end.
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
