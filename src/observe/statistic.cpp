#include "observe/statistic.hpp"

#include <algorithm>

namespace virnucpro {

void Statistic::add(double value) {
  *this = combined(*this, Statistic{.count = 1, .mean = value, .min = value, .max = value});
}

Statistic combined(const Statistic& a, const Statistic& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const std::uint64_t count = a.count + b.count;
  // From the difference: a sum of bytes over a long run would lose digits.
  const double share = static_cast<double>(b.count) / static_cast<double>(count);
  return {.count = count,
          .mean = a.mean + (b.mean - a.mean) * share,
          .min = std::min(a.min, b.min),
          .max = std::max(a.max, b.max)};
}

}  // namespace virnucpro
