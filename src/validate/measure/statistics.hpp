#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace virnucpro {

// What repeats of one measurement say together.
struct Spread {
  std::size_t count = 0;
  double median = 0;
  double low_quartile = 0;  // by linear interpolation between neighbours (Hyndman and Fan, type 7)
  double high_quartile = 0;
  double least = 0;
  double most = 0;
  std::size_t outliers = 0;  // beyond 1.5 interquartile ranges of the quartiles (Tukey's fences)

  double interquartile_range() const { return high_quartile - low_quartile; }
};

// Of one value at least.
Spread spread_of(std::vector<double> values);

// An estimate with the bounds within which it lies in 95 of 100 cases; without bounds where a
// single repeat tells nothing of them.
struct Estimate {
  double value = 0;
  std::optional<double> low{};
  std::optional<double> high{};
};

// How many times larger the first values are than the second, which are all above 0: of geometric
// means, with Welch's t interval of the difference of the logarithms.
Estimate ratio_of(const std::vector<double>& values, const std::vector<double>& to);

// "1.93 (1.90 to 1.96)"; without bounds the value alone.
std::string estimate_text(const Estimate& estimate);

struct Point {
  double x = 0;
  double y = 0;
};

// The straight line through points by least squares.
class LinearFit {
 public:
  // Of two points at least, with more than one x.
  explicit LinearFit(const std::vector<Point>& points);

  double intercept() const { return intercept_; }
  double slope() const { return slope_; }
  // The share of the y's variance that the line explains.
  double determination() const { return determination_; }
  // What a new measurement at x is expected to give, with its prediction interval.
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
