#include "report/count_ratio.hpp"

#include <limits>

#include "run/share_bound.hpp"

namespace virnucpro {

CountRatio ratio_of_shares(const ShareCount& sample, const ShareCount& control) {
  constexpr double kSideConfidence = (1 + kRatioConfidence) / 2;  // on each side of the interval
  const auto part = static_cast<double>(sample.part);
  const auto rest = static_cast<double>(control.part);
  const double wholes = static_cast<double>(control.whole) / static_cast<double>(sample.whole);
  // Returns the ratio of the two shares, if the sample has `share` of all virus calls and the
  // control has `other`.
  const auto ratio = [wholes](double share, double other) { return share / other * wholes; };
  CountRatio result;
  if (control.part > 0) result.ratio = ratio(part, rest);
  if (sample.part > 0) {
    const double other = upper_bound_of_share(rest, part + rest, kSideConfidence);
    result.least = ratio(1 - other, other);
  }
  if (control.part == 0) {
    result.most = std::numeric_limits<double>::infinity();
  } else {
    const double share = upper_bound_of_share(part, part + rest, kSideConfidence);
    result.most = ratio(share, 1 - share);
  }
  return result;
}

}  // namespace virnucpro
