#pragma once

#include <cstdint>
#include <optional>

namespace virnucpro {

// The number of sequences called virus, and the number of all sequences.
struct ShareCount {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;  // not 0
};

// The ratio of a sample's share to a control's share, with the interval of that ratio.
struct CountRatio {
  std::optional<double> ratio{};  // empty: the control has no virus call
  double least = 0;
  double most = 0;  // infinite if the control has no virus call
};

// If a sample is like the control, each end of the interval is wrong in at most 1 of 2,000 cases.
// That is rare enough for pages of hundreds of samples. The level is fixed, so that a sample's
// result does not depend on how many others are shown.
inline constexpr double kRatioConfidence = 0.999;

// Returns the ratio of two Poisson means with its exact interval: the sample's part of both virus
// counts is binomial (Przyborowski and Wilenski 1940, Biometrika 31:313; interval of Clopper and
// Pearson 1934, Biometrika 26:404). The interval holds for small counts and for a control without a
// virus call. For large shares it is too wide rather than too narrow.
CountRatio ratio_of_shares(const ShareCount& sample, const ShareCount& control);

}  // namespace virnucpro
