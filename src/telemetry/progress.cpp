#include "telemetry/progress.hpp"

#include <utility>

#include "base/terminal.hpp"
#include "telemetry/cursor_control.hpp"

namespace virnucpro {
namespace {

// Progress is sampled more often than a plain line is printed, because rates need the samples.
constexpr std::chrono::seconds kPlainSampling{1};
constexpr double kPlainInterval = 30;  // seconds

}  // namespace

Progress::Progress(const RunCounters& counters, ProgressSettings settings)
    : counters_(counters),
      settings_(std::move(settings)),
      control_(cursor_control()),
      tracker_(settings_.on_gpu),
      next_line_(counters.pipeline.seconds() + kPlainInterval) {
  look();
  repeater_.emplace(control_ ? settings_.interval : kPlainSampling, [this] { look(); });
}

Progress::~Progress() {
  repeater_.reset();
  if (control_) terminal_hide_live();
}

void Progress::look() {
  ProgressSample sample = sample_progress(counters_);
  sample.utilization = settings_.utilization();
  const RunProgress progress = tracker_.add(sample);
  if (control_) return draw(progress);
  const bool on_time = sample.seconds >= next_line_;
  if (!on_time && progress.stage == shown_stage_) return;
  next_line_ = sample.seconds + kPlainInterval;
  shown_stage_ = progress.stage;
  terminal_print("virnucpro: " + plain_progress(progress));
}

void Progress::draw(const RunProgress& progress) const {
  terminal_show_live([progress, look = settings_.look](
                         const TerminalSize& size) { return live_progress(progress, look, size); },
                     *control_);
}

}  // namespace virnucpro
