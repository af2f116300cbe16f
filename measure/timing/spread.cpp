#include "measure/timing/spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace virnucpro {
namespace {

// The 97.5 % quantile of Student's t for 1, 2, … degrees of freedom, from a standard table. Degrees
// of freedom between or beyond the entries use the next lower entry, whose interval is wider.
constexpr std::array kStudent{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                              2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                              2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                              2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

double student(double degrees) {
  const auto whole = static_cast<std::size_t>(
      std::clamp(std::floor(degrees), 1.0, static_cast<double>(kStudent.size())));
  return kStudent.at(whole - 1);
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

struct Moments {
  double count = 0;
  double mean = 0;
  double variance = 0;  // 0 for a single value

  double variance_of_mean() const { return variance / count; }
};

Moments moments_of_logarithms(const std::vector<double>& values) {
  Moments moments{.count = static_cast<double>(values.size())};
  for (const double value : values) moments.mean += std::log(value) / moments.count;
  if (values.size() < 2) return moments;
  for (const double value : values) {
    const double off = std::log(value) - moments.mean;
    moments.variance += off * off / (moments.count - 1);
  }
  return moments;
}

// Returns the degrees of freedom of a difference of means, by Welch and Satterthwaite.
double degrees_of_freedom(const Moments& a, const Moments& b) {
  const double whole = a.variance_of_mean() + b.variance_of_mean();
  const auto part = [](const Moments& of) {
    return of.variance_of_mean() * of.variance_of_mean() / (of.count - 1);
  };
  return whole * whole / (part(a) + part(b));
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Spread spread{.count = values.size(),
                .median = quantile(values, 0.5),
                .low_quartile = quantile(values, 0.25),
                .high_quartile = quantile(values, 0.75),
                .least = values.front(),
                .most = values.back()};
  const double fence = 1.5 * spread.interquartile_range();
  spread.outliers = static_cast<std::size_t>(std::ranges::count_if(values, [&](double value) {
    return value < spread.low_quartile - fence || value > spread.high_quartile + fence;
  }));
  return spread;
}

Estimate ratio_of(const std::vector<double>& values, const std::vector<double>& to) {
  const Moments a = moments_of_logarithms(values);
  const Moments b = moments_of_logarithms(to);
  Estimate ratio{.value = std::exp(a.mean - b.mean)};
  if (values.size() < 2 || to.size() < 2) return ratio;
  const double error = std::sqrt(a.variance_of_mean() + b.variance_of_mean());
  const double reach = error > 0 ? student(degrees_of_freedom(a, b)) * error : 0;
  ratio.low = std::exp(a.mean - b.mean - reach);
  ratio.high = std::exp(a.mean - b.mean + reach);
  return ratio;
}

std::string estimate_text(const Estimate& estimate) {
  if (!estimate.low || !estimate.high) return fmt::format("{:.3g}", estimate.value);
  return fmt::format("{:.3g} ({:.3g} to {:.3g})", estimate.value, *estimate.low, *estimate.high);
}

LinearFit::LinearFit(const std::vector<Point>& points) : count_(points.size()) {
  const auto count = static_cast<double>(count_);
  double mean_y = 0;
  for (const Point& point : points) {
    mean_x_ += point.x / count;
    mean_y += point.y / count;
  }
  double products = 0;
  double squares_y = 0;
  for (const Point& point : points) {
    squares_x_ += (point.x - mean_x_) * (point.x - mean_x_);
    squares_y += (point.y - mean_y) * (point.y - mean_y);
    products += (point.x - mean_x_) * (point.y - mean_y);
  }
  slope_ = products / squares_x_;
  intercept_ = mean_y - slope_ * mean_x_;
  double residual = 0;
  for (const Point& point : points) {
    const double off = point.y - intercept_ - slope_ * point.x;
    residual += off * off;
  }
  if (squares_y > 0) determination_ = 1 - residual / squares_y;
  if (count_ > 2) residual_variance_ = residual / (count - 2);
}

Estimate LinearFit::at(double x) const {
  Estimate estimate{.value = intercept_ + slope_ * x};
  if (count_ < 3) return estimate;
  const auto count = static_cast<double>(count_);
  const double off = x - mean_x_;
  const double error = std::sqrt(residual_variance_ * (1 + 1 / count + off * off / squares_x_));
  const double reach = student(count - 2) * error;
  estimate.low = estimate.value - reach;
  estimate.high = estimate.value + reach;
  return estimate;
}

}  // namespace virnucpro
