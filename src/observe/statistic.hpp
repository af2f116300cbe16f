#pragma once

#include <cstdint>

namespace virnucpro {

// Figures of many values in fixed memory; all 0 of none. The peak is `max`.
struct Statistic {
  std::uint64_t count = 0;
  double mean = 0;
  double min = 0;
  double max = 0;

  void add(double value);
};

// Of the values of both.
Statistic combined(const Statistic& a, const Statistic& b);

}  // namespace virnucpro
