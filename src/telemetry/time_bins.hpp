#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace virnucpro {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

// A quantity over a run's time, for a plot, in at most kMost bins. If a run needs more bins,
// pairs of neighbours are merged. (telemetry_<time>.json uses RateSeries of observe/statistic.hpp,
// which has integer amounts, each added at one moment.)
class TimeBins {
 public:
  static constexpr std::size_t kMost = 96;
  static constexpr double kFirstWidth = 0.5;    // seconds
  static constexpr double kLongestRun = 3.2e8;  // seconds, about ten years; later times are ignored

  // Adds a value that was measured `seconds` after the run's start.
  void add(double seconds, double value);
  // Adds an amount of work that was done evenly from one moment to another.
  void spread(double begin, double end, double amount);

  std::vector<PlotPoint> means() const;   // of bins that have a value
  std::vector<PlotPoint> maxima() const;  // of bins that have a value
  std::vector<PlotPoint> rates() const;   // amount per second, of every bin

 private:
  struct Bin {
    double sum = 0;
    double most = 0;
    std::uint64_t values = 0;
  };

  Bin& bin_at(double seconds);
  void double_width();
  double middle(std::size_t bin) const;

  std::vector<Bin> bins_;
  double width_ = kFirstWidth;
  double last_ = 0;
};

}  // namespace virnucpro
