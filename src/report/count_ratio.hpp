#pragma once

#include <cstdint>
#include <optional>

namespace virnucpro {

// So many of so many sequences were called virus.
struct ShareCount {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;  // not 0
};

// How many times the share of a sample is that of a control, and the interval of that ratio.
struct CountRatio {
  std::optional<double> ratio{};  // empty: the control has none
  double least = 0;
  double most = 0;  // infinite where the control has none
};

// One end of the interval lies wrong for one of 2,000 samples at most that are like the control.
// That is rare enough for pages of hundreds of samples, and a sample's result does not depend on
// how many others are shown.
inline constexpr double kRatioConfidence = 0.999;

// The exact interval for the ratio of two Poisson means: of all virus calls of the two, those of
// the sample are binomial (Przyborowski and Wilenski 1940, Biometrika 31:313, with the interval of
// Clopper and Pearson 1934, Biometrika 26:404). It holds for small counts and for none. Where the
// shares are large, it is too wide rather than too narrow.
CountRatio ratio_of_shares(const ShareCount& sample, const ShareCount& control);

}  // namespace virnucpro
