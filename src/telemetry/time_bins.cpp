#include "telemetry/time_bins.hpp"

#include <algorithm>
#include <cmath>

namespace virnucpro {
namespace {

bool is_time(double seconds) {
  return seconds >= 0 && seconds <= TimeBins::kLongestRun;  // false for NaN
}

}  // namespace

void TimeBins::add(double seconds, double value) {
  if (!is_time(seconds) || !std::isfinite(value)) return;
  Bin& bin = bin_at(seconds);
  bin.most = bin.values == 0 ? value : std::max(bin.most, value);
  bin.sum += value;
  ++bin.values;
}

void TimeBins::spread(double begin, double end, double amount) {
  if (!is_time(end) || !std::isfinite(begin) || !std::isfinite(amount)) return;
  begin = std::clamp(begin, 0.0, end);
  bin_at(end);  // makes the bins wide enough
  if (begin == end) {
    add(end, amount);
    return;
  }
  for (double at = begin; at < end;) {
    const double edge = (std::floor(at / width_) + 1) * width_;
    const double next = std::min(edge, end);
    add(at, amount * (next - at) / (end - begin));
    at = next;
  }
}

TimeBins::Bin& TimeBins::bin_at(double seconds) {
  while (seconds >= width_ * static_cast<double>(kMost)) double_width();
  const auto index = static_cast<std::size_t>(seconds / width_);
  if (index >= bins_.size()) bins_.resize(index + 1);
  last_ = std::max(last_, seconds);
  return bins_[index];
}

void TimeBins::double_width() {
  std::vector<Bin> wider((bins_.size() + 1) / 2);
  for (std::size_t k = 0; k < bins_.size(); ++k) {
    Bin& into = wider[k / 2];
    const Bin& bin = bins_[k];
    if (bin.values > 0) into.most = into.values == 0 ? bin.most : std::max(into.most, bin.most);
    into.sum += bin.sum;
    into.values += bin.values;
  }
  bins_ = std::move(wider);
  width_ *= 2;
}

double TimeBins::middle(std::size_t bin) const {
  return (static_cast<double>(bin) + 0.5) * width_;
}

std::vector<PlotPoint> TimeBins::means() const {
  std::vector<PlotPoint> points;
  for (std::size_t k = 0; k < bins_.size(); ++k) {
    const Bin& bin = bins_[k];
    if (bin.values > 0) points.push_back({middle(k), bin.sum / static_cast<double>(bin.values)});
  }
  return points;
}

std::vector<PlotPoint> TimeBins::maxima() const {
  std::vector<PlotPoint> points;
  for (std::size_t k = 0; k < bins_.size(); ++k) {
    if (bins_[k].values > 0) points.push_back({middle(k), bins_[k].most});
  }
  return points;
}

std::vector<PlotPoint> TimeBins::rates() const {
  std::vector<PlotPoint> points;
  for (std::size_t k = 0; k < bins_.size(); ++k) {
    const double begin = static_cast<double>(k) * width_;
    if (begin >= last_ && bins_[k].values == 0) break;  // all work ended before this bin
    // Divide by the seconds that have work: the run may end inside the last bin.
    const double covered = std::clamp(last_ - begin, width_ / 2, width_);
    points.push_back({middle(k), bins_[k].sum / covered});
  }
  return points;
}

}  // namespace virnucpro
