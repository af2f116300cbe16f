#include "observe/statistic.hpp"

#include <algorithm>
#include <cmath>

namespace virnucpro {
namespace {

constexpr double kSmallest = 1e-6;
constexpr double kLargest = 1e6;
constexpr double kGrowth = 1.02;

// Returns the index of a duration's interval. Interval i ends at kSmallest * kGrowth^i seconds, so
// interval 0 has all durations up to kSmallest.
std::size_t interval_of(double seconds) {
  if (!(seconds > kSmallest)) return 0;
  const double steps = std::log(std::min(seconds, kLargest) / kSmallest) / std::log(kGrowth);
  return static_cast<std::size_t>(std::ceil(steps));
}

// Returns a duration that differs from each end of the interval by 1 % at most; 0 for interval 0.
double middle_of(std::size_t interval) {
  if (interval == 0) return 0;
  return kSmallest * std::pow(kGrowth, static_cast<double>(interval)) * 2 / (1 + kGrowth);
}

}  // namespace

void Statistic::add(double value) {
  *this = combined(*this,
                   Statistic{.average = value, .minimum = value, .maximum = value, .samples = 1});
}

Statistic combined(const Statistic& a, const Statistic& b) {
  if (a.samples == 0) return b;
  if (b.samples == 0) return a;
  const std::uint64_t samples = a.samples + b.samples;
  // Move the average by a share of the difference: a sum of bytes over a long run would lose
  // digits.
  const double share = static_cast<double>(b.samples) / static_cast<double>(samples);
  return {.average = a.average + (b.average - a.average) * share,
          .minimum = std::min(a.minimum, b.minimum),
          .maximum = std::max(a.maximum, b.maximum),
          .samples = samples};
}

void RateSeries::add(double time, std::uint64_t amount) {
  while (time >= interval_ * static_cast<double>(most_)) halve();
  const auto place = static_cast<std::size_t>(std::max(time, 0.0) / interval_);
  if (amounts_.size() <= place) amounts_.resize(place + 1);
  amounts_[place] += amount;
}

void RateSeries::halve() {
  if (amounts_.size() % 2 != 0) amounts_.push_back(0);
  for (std::size_t i = 0; i < amounts_.size() / 2; ++i) {
    amounts_[i] = amounts_[2 * i] + amounts_[2 * i + 1];
  }
  amounts_.resize(amounts_.size() / 2);
  interval_ *= 2;
}

void QuantileSketch::add(double seconds) noexcept {
  ++counts_.at(std::min(interval_of(seconds), kIntervals - 1));
  ++count_;
  sum_ += seconds;
  max_ = std::max(max_, seconds);
}

double QuantileSketch::mean() const noexcept {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

double QuantileSketch::quantile(double share) const noexcept {
  const double wanted = share * static_cast<double>(count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kIntervals; ++i) {
    seen += counts_[i];
    if (seen > 0 && static_cast<double>(seen) >= wanted) return std::min(middle_of(i), max_);
  }
  return max_;
}

}  // namespace virnucpro
