#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "base/repeater.hpp"
#include "observe/counters.hpp"
#include "telemetry/progress_text.hpp"
#include "telemetry/run_progress.hpp"

namespace virnucpro {

struct ProgressSettings {
  std::chrono::milliseconds interval{1000};  // of the live block: it is drawn anew
  ProgressLook look{};
  bool on_gpu = false;
  // Percent of each worker's GPU, as measured last; from a thread of its own.
  std::function<std::vector<std::optional<double>>()> utilization = [] {
    return std::vector<std::optional<double>>{};
  };
};

// Shows how a run gets on, on stderr: a live block on a terminal, elsewhere a plain line every half
// minute, and when scoring begins and ends. The cursor waits above the block, which is laid out
// anew at every drawing: after a resize, what became of the old one lies below the cursor and is
// cleared. It only reads the counters; the destructor takes the block away.
class Progress {
 public:
  // `counters` and what `settings` ask outlive it.
  Progress(const RunCounters& counters, ProgressSettings settings);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void look();
  void draw(const RunProgress& progress) const;

  const RunCounters& counters_;
  const ProgressSettings settings_;
  const std::optional<CursorControl> control_;  // empty: plain lines
  ProgressTracker tracker_;
  double next_line_;  // seconds since the run began
  ProgressStage told_ = ProgressStage::kStarting;
  std::optional<Repeater> repeater_;  // last: it uses all of the above
};

}  // namespace virnucpro
