#include "observe/centred_cosine.hpp"

#include <cmath>

namespace virnucpro {
namespace {

double dot(const std::vector<double>& one, const std::vector<double>& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += one[i] * other[i];
  return sum;
}

}  // namespace

void CentredCosine::add(std::span<const float> one, std::span<const float> other) {
  const std::lock_guard lock(mutex_);
  if (pairs_++ == 0) {
    origin_.assign(other.begin(), other.end());
    sum_.assign(other.size(), 0);
    other_sum_.assign(other.size(), 0);
  }
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double x = static_cast<double>(one[i]) - origin_[i];
    const double y = static_cast<double>(other[i]) - origin_[i];
    sum_[i] += x;
    other_sum_[i] += y;
    product_ += x * y;
    squares_ += x * x;
    other_squares_ += y * y;
  }
}

std::optional<double> CentredCosine::value() const {
  const std::lock_guard lock(mutex_);
  if (pairs_ < 2) return std::nullopt;
  const auto pairs = static_cast<double>(pairs_);
  const double both = dot(sum_, other_sum_) / pairs;
  const double others = dot(other_sum_, other_sum_) / pairs;
  const double lengths = (squares_ - 2 * both + others) * (other_squares_ - others);
  if (!(lengths > 0)) return std::nullopt;
  return (product_ - both) / std::sqrt(lengths);
}

void CentredCosine::reset() {
  const std::lock_guard lock(mutex_);
  product_ = squares_ = other_squares_ = 0;
  pairs_ = 0;
}

}  // namespace virnucpro
