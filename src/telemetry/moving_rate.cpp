#include "telemetry/moving_rate.hpp"

#include <algorithm>
#include <cstddef>

namespace virnucpro {
namespace {

constexpr double kWindow = 60;      // seconds
constexpr std::size_t kSteps = 9;   // steps that are always kept: eight intervals
constexpr double kShortest = 2;     // seconds: a rate over a shorter time is too inexact
constexpr std::size_t kFewest = 3;  // steps: a single interval is too inexact

}  // namespace

void MovingRate::add(double time, double count) {
  if (count < count_) steps_.clear();
  if (count != count_) steps_.push_back({.time = time, .count = count});
  count_ = count;
  while (steps_.size() > kSteps && steps_[1].time <= time - kWindow) steps_.pop_front();
}

std::optional<double> MovingRate::per_second(double now) const {
  if (steps_.size() < kFewest) return std::nullopt;
  const Step& first = steps_.front();
  const Step& last = steps_.back();
  if (last.time - first.time < kShortest) return std::nullopt;
  const double end = std::max(last.time, now - seconds_a_step());
  return (last.count - first.count) / (end - first.time);
}

double MovingRate::since_step(double now) const {
  if (steps_.empty()) return 0;
  return std::clamp(now - steps_.back().time, 0.0, seconds_a_step());
}

double MovingRate::seconds_a_step() const {
  const double span = steps_.back().time - steps_.front().time;
  return span / static_cast<double>(std::max<std::size_t>(steps_.size() - 1, 1));
}

}  // namespace virnucpro
