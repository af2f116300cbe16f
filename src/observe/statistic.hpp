#pragma once

#include <cstdint>

namespace virnucpro {

// Statistics of many values in fixed memory; all 0 if there are none. The peak is `max`.
struct Statistic {
  std::uint64_t count = 0;
  double mean = 0;
  double min = 0;
  double max = 0;

  void add(double value);
};

// The statistic of both sets of values.
Statistic combined(const Statistic& a, const Statistic& b);

}  // namespace virnucpro
