#include "run/share_bound.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace virnucpro {
namespace {

// Returns the quantile of Student's t distribution, by way of the beta distribution's: students_t
// of boost takes 3 s to compile. `confidence` must be above 1/2.
double t_quantile(double degrees, double confidence) {
  double rest = 0;  // 1 - x, without cancellation
  const double x = boost::math::ibeta_inv(degrees / 2, 0.5, 2 * (1 - confidence), &rest);
  return std::sqrt(degrees * rest / x);
}

}  // namespace

double upper_bound_of_share(double part, double whole, double confidence) {
  return part >= whole ? 1 : boost::math::ibeta_inv(part + 1, whole - part, confidence);
}

void GroupedShare::add_group(std::uint64_t whole) {
  const auto size = static_cast<double>(whole);
  ++groups_;
  whole_ += size;
  whole_squares_ += size * size;
}

void GroupedShare::count_one(std::uint64_t part, std::uint64_t whole) {
  part_ += 1;
  part_squares_ += 2 * static_cast<double>(part) + 1;
  products_ += static_cast<double>(whole);
}

double GroupedShare::effective(double confidence) const {
  const double groups = equal_groups();
  const double share = part_ / whole_;
  if (groups_ < 2 || part_ == 0 || part_ == whole_) return groups;
  // The sum of (part - share · whole)² over the groups.
  const double squares = part_squares_ - 2 * share * products_ + share * share * whole_squares_;
  const double variance = groups / (groups - 1) * squares / (whole_ * whole_);
  const double t = t_quantile(whole_ - 1, confidence) / t_quantile(groups - 1, confidence);
  const double found = share * (1 - share) * t * t;
  return found < variance * whole_ ? found / variance : whole_;
}

double GroupedShare::upper_bound(double confidence) const {
  const double count = effective(confidence);
  return std::max(upper_bound_of_share(part_ / whole_ * count, count, confidence),
                  upper_bound_of_share(0, equal_groups(), confidence));
}

}  // namespace virnucpro
