#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace virnucpro {

// A summary of repeated measurements.
struct Spread {
  std::size_t count = 0;
  double median = 0;
  double low_quartile = 0;  // by linear interpolation between neighbours (Hyndman and Fan, type 7)
  double high_quartile = 0;
  double least = 0;
  double most = 0;
  std::size_t outliers = 0;  // values more than 1.5 interquartile ranges outside the quartiles

  double interquartile_range() const { return high_quartile - low_quartile; }
};

// Returns the summary of at least one value.
Spread spread_of(std::vector<double> values);

// An estimate with its 95 % interval. The bounds are empty if there are too few repeats.
struct Estimate {
  double value = 0;
  std::optional<double> low{};
  std::optional<double> high{};
};

// Returns `values` as a multiple of `to`: the ratio of their geometric means, with Welch's t
// interval for the difference of the logarithms. All numbers must be above 0.
Estimate ratio_of(const std::vector<double>& values, const std::vector<double>& to);

// Returns "1.93 (1.90 to 1.96)", or only the value if there are no bounds.
std::string estimate_text(const Estimate& estimate);

struct Point {
  double x = 0;
  double y = 0;
};

// The least-squares line through points.
class LinearFit {
 public:
  // Needs at least two points with different x.
  explicit LinearFit(const std::vector<Point>& points);

  double intercept() const { return intercept_; }
  double slope() const { return slope_; }
  // Returns the share of the variance of y that the line explains.
  double determination() const { return determination_; }
  // Returns the expected value of a new measurement at x, with its prediction interval.
  Estimate at(double x) const;

 private:
  std::size_t count_ = 0;
  double mean_x_ = 0;
  double squares_x_ = 0;
  double intercept_ = 0;
  double slope_ = 0;
  double determination_ = 1;
  double residual_variance_ = 0;
};

}  // namespace virnucpro
