#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "ops/int8_policy.hpp"
#include "run/settings.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// How close the results in a precision must be to those in its check precision, which is finer.
// Close calls are not computed again for this comparison.
struct CalibrationTarget {
  double centred = 0.01;       // largest 1 − cosine of ESM-2's embeddings, without kOutliers
  double equal_calls = 0.999;  // smallest share of frames with the same call
};

struct CalibrateSettings {
  ModelSettings models;
  ComputeSettings compute;    // needs check_precision; uses the first GPU, or the CPU
  std::string sample_file{};  // empty: made-up coding sequences
  std::uint64_t seed = 0;     // for the made-up sequences
  std::uint64_t chunk_size = 500;
  std::size_t frames = 0;
  CalibrationTarget target{};
};

// The `centred` values leave out this share of the frames: those with the largest errors.
inline constexpr double kOutliers = 0.001;

// A calibration chooses its margin so that, with kConfidence, the probability that a frame's logit
// is off by more than the margin is at most kFlipChance.
inline constexpr double kFlipChance = 1e-4;
inline constexpr double kConfidence = 0.95;

// The distance of a precision from the finer precision, over the frames of a sample.
struct Closeness {
  double centred = 0;      // largest 1 − cosine of the centred embeddings, without kOutliers
  double equal_calls = 1;  // share of frames with the same call in both precisions
  double logit_mean = 0;   // mean logit difference, coarse − fine
  double logit_rms = 0;
  double logit_largest = 0;  // largest absolute logit difference
  double tokens_per_second = 0;

  bool reaches(const CalibrationTarget& target) const;
};

// A policy and its measurements.
struct CalibrationPoint {
  Int8Policy policy{};
  std::size_t kept = 0;    // number of linear layers in 16 bits
  double in_8_bits = 0;    // share of the layers' multiplications that are in 8 bits
  std::size_t frames = 0;  // frames used from the sample
  Closeness closeness{};
};

struct CalibrationResult {
  std::map<std::string, std::string> description{};  // describes the models, without the policy
  std::size_t frames = 0;
  std::size_t tokens = 0;                  // ESM-2 tokens in the sample
  double check_tokens_per_second = 0;      // speed of the check precision
  std::vector<CalibrationPoint> points{};  // in the order measured; the last is the result
  // The largest logit error after leaving out as many errors as kFlipChance allows, but at least
  // least_margin(). The margin is an order statistic, so it is valid for any scores of the reads
  // and any distribution of the errors.
  double margin = 0;
  // Upper bound, with kConfidence, of the probability of an error above the margin. The bound is
  // above kFlipChance if there are too few frames.
  double chance = 0;

  const CalibrationPoint& result() const { return points.back(); }
};

// Measures the precision against its check precision. If int8 misses the target, measures each
// linear layer alone in 8 bits. Then keeps as few layers in 16 bits as the target needs: first
// those with the most error per multiplication. Calls `on_point` after each measured policy, and
// `say` with a line about each step. Errors: those of load_models(), sample_frames() and the
// engine; kNotFinite if the check precision gives a score or embedding that is not finite.
CalibrationResult calibrate(const CalibrateSettings& settings, const Cancel& cancel,
                            const std::function<void(const CalibrationPoint&)>& on_point,
                            const std::function<void(const std::string&)>& say);

// Returns how many of `frames` may have an error above the margin. With kConfidence, the chance of
// such an error is then at most kFlipChance. If there are too few frames for that, returns 0.
std::size_t allowed_above_margin(std::size_t frames);
// Returns the upper bound, with kConfidence, of the chance of an error above the margin, if `above`
// of `frames` have such an error (one-sided; Clopper and Pearson 1934, Biometrika 26).
double chance_of_more(std::size_t frames, std::size_t above);
// Leaves out the largest numbers, a share of kOutliers, rounded down to a whole count. Returns the
// largest number left.
double largest_without_outliers(std::vector<double> numbers);

}  // namespace virnucpro
