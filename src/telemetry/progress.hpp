#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "base/threads.hpp"
#include "observe/counters.hpp"
#include "telemetry/progress_text.hpp"
#include "telemetry/run_progress.hpp"

namespace virnucpro {

struct ProgressSettings {
  std::chrono::milliseconds interval{1000};  // between two drawings of the live block
  ProgressLook look{};
  bool on_gpu = false;
  // Returns each worker's last GPU utilization in percent. Another thread calls the function.
  std::function<std::vector<std::optional<double>>()> utilization = [] {
    return std::vector<std::optional<double>>{};
  };
};

// Shows a run's progress on stderr: a live block on a terminal; otherwise a plain line every half
// minute and when scoring begins and ends. Every drawing lays out the block anew. The cursor stays
// at the start of the block: after a resize, the old block is still below the cursor and can be
// cleared. Progress only reads the counters. Its destructor removes the block.
class Progress {
 public:
  // `counters` and the objects that `settings.utilization` uses must outlive this object.
  Progress(const RunCounters& counters, ProgressSettings settings);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void look();
  void draw(const RunProgress& progress) const;

  const RunCounters& counters_;
  const ProgressSettings settings_;
  const std::optional<CursorControl> control_;  // empty: plain lines are printed
  ProgressTracker tracker_;
  double next_line_;  // when a plain line is due, in seconds since the run began
  ProgressStage shown_stage_ = ProgressStage::kStarting;
  std::optional<Repeater> repeater_;  // last, because its thread uses the members above
};

}  // namespace virnucpro
