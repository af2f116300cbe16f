#pragma once

#include <cstdint>
#include <optional>

namespace virnucpro {

// The number of sequences called virus (`part`) and the number of all sequences (`whole`).
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

// The confidence level of an interval. If a sample's true share equals the control's, each end of
// the interval is on the wrong side of 1 in at most 1 of 2,000 cases. That is rare enough for pages
// of hundreds of samples. The level is fixed: a result must not depend on the other samples.
inline constexpr double kRatioConfidence = 0.999;

// Returns the ratio of the sample's share to the control's share, with an exact interval. Virus
// counts are taken as Poisson counts, so the sample's part of their sum is binomial (Przyborowski
// and Wilenski 1940, Biometrika 31:313; interval of Clopper and Pearson 1934, Biometrika 26:404).
// The interval holds for small counts, and is too wide for large shares.
CountRatio ratio_of_shares(const ShareCount& sample, const ShareCount& control);

}  // namespace virnucpro
