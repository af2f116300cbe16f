#pragma once

#include <cstdint>
#include <optional>

namespace virnucpro {

// The number of sequences called virus, and of all.
struct ShareCount {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;  // not 0
};

// The ratio of a sample's share to a control's, with the interval of that ratio.
struct CountRatio {
  std::optional<double> ratio{};  // empty: the control has none
  double least = 0;
  double most = 0;  // infinite where the control has none
};

// At most one in 2,000 samples that are like the control has a wrong end of the interval. That is
// rare enough for pages of hundreds of samples. The level is fixed, so that a sample's result does
// not depend on how many others are shown.
inline constexpr double kRatioConfidence = 0.999;

// Returns the exact interval for the ratio of two Poisson means: of all virus calls of the two, the
// sample's are binomial (Przyborowski and Wilenski 1940, Biometrika 31:313, with the interval of
// Clopper and Pearson 1934, Biometrika 26:404). It holds for small counts, and for a control
// without a virus call. For large shares it is too wide rather than too narrow.
CountRatio ratio_of_shares(const ShareCount& sample, const ShareCount& control);

}  // namespace virnucpro
