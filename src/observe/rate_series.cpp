#include "observe/rate_series.hpp"

#include <algorithm>

namespace virnucpro {

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

}  // namespace virnucpro
