#include "report/count_ratio.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <limits>

namespace virnucpro {

CountRatio ratio_of_shares(const ShareCount& sample, const ShareCount& control) {
  using Binomial = boost::math::binomial_distribution<>;
  constexpr double kTail = (1 - kRatioConfidence) / 2;
  const auto part = static_cast<double>(sample.part);
  const double all = part + static_cast<double>(control.part);
  const double wholes = static_cast<double>(control.whole) / static_cast<double>(sample.whole);
  // Converts sample.part / (sample.part + control.part) into the ratio of the two shares.
  const auto ratio = [wholes](double share) { return share / (1 - share) * wholes; };
  CountRatio result;
  if (control.part > 0) result.ratio = part / static_cast<double>(control.part) * wholes;
  if (sample.part > 0) result.least = ratio(Binomial::find_lower_bound_on_p(all, part, kTail));
  result.most = control.part == 0 ? std::numeric_limits<double>::infinity()
                                  : ratio(Binomial::find_upper_bound_on_p(all, part, kTail));
  return result;
}

}  // namespace virnucpro
