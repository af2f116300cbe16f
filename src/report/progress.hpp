#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "observe/counters.hpp"

namespace virnucpro {

// The counters at one moment.
struct ProgressSample {
  std::chrono::duration<double> elapsed{};
  std::uint64_t sequences = 0;
  std::uint64_t frames = 0;
  std::uint64_t frames_scored = 0;
  std::uint64_t tokens = 0;      // both models'
  std::uint64_t esm_tokens = 0;  // of budget_tokens: the packing
  std::uint64_t budget_tokens = 0;
};

ProgressSample sample_progress(const RunCounters& counters, std::chrono::duration<double> elapsed);

// "0:01:05 · 1,234 sequences · 345/400 frames · 19.0 sequences/s · 1,100 tokens/s · 97 % packed".
// Rates are over the time between the samples.
std::string progress_line(const ProgressSample& now, const ProgressSample& before);

// As many fields of a progress line, from its start, as `columns` characters (of UTF-8) hold, so
// that it never wraps.
std::string fit_to_width(const std::string& line, std::size_t columns);

// Shows how a run gets on, on stderr: one live line five times a second on a terminal, elsewhere a
// plain line every half minute. It only reads the counters; the destructor takes the line away.
class Progress {
 public:
  explicit Progress(const RunCounters& counters);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void watch();
  void show(const ProgressSample& now, const ProgressSample& before) const;

  const RunCounters& counters_;
  const bool live_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread watcher_;  // last: it uses all of the above
};

}  // namespace virnucpro
