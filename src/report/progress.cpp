#include "report/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string_view>

#include "base/terminal.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLiveInterval{200};
constexpr std::chrono::seconds kPlainInterval{30};
// Rates on a terminal are over this many refreshes: two seconds, steady enough to be read.
constexpr std::size_t kLiveSamples = 10;
constexpr std::string_view kBetweenFields = " · ";

std::string clock_text(std::chrono::duration<double> elapsed) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string rate_text(std::uint64_t now, std::uint64_t before, double seconds) {
  if (seconds <= 0) return "-";
  const double rate = static_cast<double>(now - std::min(now, before)) / seconds;
  if (rate < 100) return fmt::format("{:.1f}", rate);
  return grouped(static_cast<std::uint64_t>(std::llround(rate)));
}

std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;  // it begins a letter
  }));
}

}  // namespace

ProgressSample sample_progress(const RunCounters& counters, std::chrono::duration<double> elapsed) {
  ProgressSample sample;
  sample.elapsed = elapsed;
  sample.sequences = counters.sequences.get();
  sample.frames = counters.frames.get();
  sample.frames_scored = counters.frames_scored.get();
  const BatchTotals computed = counters.pipeline.totals();
  sample.esm_tokens = computed.esm_tokens;
  sample.tokens = computed.esm_tokens + computed.dna_tokens;
  sample.budget_tokens = computed.budget_tokens;
  return sample;
}

std::string progress_line(const ProgressSample& now, const ProgressSample& before) {
  const double seconds = (now.elapsed - before.elapsed).count();
  std::string line =
      fmt::format("{} · {} sequences · {}/{} frames · {} sequences/s · {} tokens/s",
                  clock_text(now.elapsed), grouped(now.sequences), grouped(now.frames_scored),
                  grouped(now.frames), rate_text(now.sequences, before.sequences, seconds),
                  rate_text(now.tokens, before.tokens, seconds));
  if (now.budget_tokens > 0) {
    const double packed =
        100.0 * static_cast<double>(now.esm_tokens) / static_cast<double>(now.budget_tokens);
    line += fmt::format(" · {:.0f} % packed", packed);
  }
  return line;
}

std::string fit_to_width(const std::string& line, std::size_t columns) {
  std::string fitting = line;
  while (letters_of(fitting) > columns) {
    const std::size_t last = fitting.rfind(kBetweenFields);
    fitting.resize(last == std::string::npos ? 0 : last);
  }
  return fitting;
}

Progress::Progress(const RunCounters& counters)
    : counters_(counters), live_(terminal_is_live()), watcher_([this] { watch(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_one();
  watcher_.join();
  if (live_) terminal_show_live("");
}

void Progress::watch() {
  const Clock::time_point start = Clock::now();
  const std::chrono::milliseconds interval = live_ ? kLiveInterval : kPlainInterval;
  const std::size_t kept = live_ ? kLiveSamples : 1;
  std::deque<ProgressSample> samples{sample_progress(counters_, {})};
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, interval, [this] { return stop_; })) {
    const ProgressSample now = sample_progress(counters_, Clock::now() - start);
    show(now, samples.front());
    samples.push_back(now);
    if (samples.size() > kept) samples.pop_front();
  }
}

void Progress::show(const ProgressSample& now, const ProgressSample& before) const {
  const std::string line = progress_line(now, before);
  if (live_) {
    terminal_show_live(fit_to_width(line, terminal_width() - 1));
  } else {
    terminal_print("virnucpro: " + line);
  }
}

}  // namespace virnucpro
