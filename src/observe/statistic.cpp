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
  *this = combined(*this, Statistic{.count = 1, .mean = value, .min = value, .max = value});
}

Statistic combined(const Statistic& a, const Statistic& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const std::uint64_t count = a.count + b.count;
  // Move the mean by a share of the difference: a sum of bytes over a long run would lose digits.
  const double share = static_cast<double>(b.count) / static_cast<double>(count);
  return {.count = count,
          .mean = a.mean + (b.mean - a.mean) * share,
          .min = std::min(a.min, b.min),
          .max = std::max(a.max, b.max)};
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
