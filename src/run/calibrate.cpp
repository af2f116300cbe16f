#include "run/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "observe/counters.hpp"
#include "run/batch_runner.hpp"
#include "run/calibration.hpp"
#include "run/close_calls.hpp"
#include "run/frame_sample.hpp"
#include "run/load_models.hpp"
#include "run/share_bound.hpp"
#include "tables/chunk_score.hpp"

namespace virnucpro {
namespace {

// A few frames are enough to compare linear layers with each other. A search needs more frames,
// because it must see some of the rare outliers.
constexpr std::size_t kFramesOfALinear = 256;
constexpr std::size_t kFramesOfASearch = 4000;
// The user's seed is shifted by this many bits, so that two seeds never share a made-up sequence.
constexpr unsigned kSeedShift = 32;

double rate_of(std::size_t tokens, double seconds) {
  return static_cast<double>(tokens) / seconds;
}

// An engine's results: the logit and ESM-2's embedding of each frame.
struct Computed {
  std::vector<double> logits;
  std::vector<bool> virus;
  std::vector<float> embeddings;  // [frames, width]
  double seconds = 0;
};

class Computation {
 public:
  Computation(const CalibrateSettings& settings, std::span<const FrameTokens> frames,
              const Cancel& cancel)
      : settings_(settings), frames_(frames), cancel_(cancel) {}

  Computed run(Engine& engine, std::size_t count, std::uint32_t model) const {
    const EngineFacts& facts = engine.facts();
    const std::size_t width = facts.esm2_width;
    Computed computed{.logits = std::vector<double>(count),
                      .virus = std::vector<bool>(count),
                      .embeddings = std::vector<float>(count * width)};
    ComputeSettings compute = settings_.compute;
    compute.deduplicate = false;
    std::vector<PackedBatch> batches =
        pack_all(pack_settings(compute, facts.plan.tokens), frames_.first(count));
    const StopWatch watch;
    std::size_t begun = 0;
    for (std::size_t done = 0; done < batches.size(); ++done) {
      for (; begun < std::min(batches.size(), done + facts.depth); ++begun) {
        engine.begin({.id = begun, .frames = std::move(batches[begun].frames), .model = model});
      }
      cancel_.check();
      take(engine.finish(), batches[done].occurrences, computed);
    }
    computed.seconds = watch.seconds();
    return computed;
  }

 private:
  static void take(const BatchResult& result,
                   const std::vector<std::vector<std::uint64_t>>& occurrences, Computed& computed) {
    for (std::size_t index = 0; index < occurrences.size(); ++index) {
      const std::size_t frame = occurrences[index].front();
      const FrameResult found = frame_result(result, index, occurrences.size());
      computed.logits[frame] = logit_of(found.scores);
      computed.virus[frame] = is_originally_virus(found.scores);
      std::ranges::copy(found.esm2, computed.embeddings.begin() +
                                        static_cast<std::ptrdiff_t>(frame * found.esm2.size()));
    }
  }

  const CalibrateSettings& settings_;
  std::span<const FrameTokens> frames_;
  const Cancel& cancel_;
};

// The results of the check precision, with which all other results are compared.
class Reference {
 public:
  Reference(Computed fine, std::size_t width, Precision check)
      : fine_(std::move(fine)), width_(width), mean_(width), check_(check) {
    const std::size_t frames = fine_.logits.size();
    for (std::size_t frame = 0; frame < frames; ++frame) {
      if (!std::isfinite(fine_.logits[frame])) refuse();
      for (std::size_t i = 0; i < width; ++i) mean_[i] += at(fine_, frame, i);
    }
    for (double& value : mean_) {
      value /= static_cast<double>(frames);
      if (!std::isfinite(value)) refuse();
    }
  }

  double seconds() const { return fine_.seconds; }

  // Returns the error, coarse − fine, of each finite logit. Frames without a finite logit are left
  // out, because predict computes them again whatever the margin is.
  std::vector<double> logit_errors(const Computed& coarse) const {
    std::vector<double> errors;
    for (std::size_t frame = 0; frame < coarse.logits.size(); ++frame) {
      const double error = coarse.logits[frame] - fine_.logits[frame];
      if (std::isfinite(error)) errors.push_back(error);
    }
    return errors;
  }

  // Returns 1 − cosine of each frame's two embeddings, after the mean of the fine embeddings is
  // subtracted from both; 2 if the cosine is not finite.
  std::vector<double> distances(const Computed& coarse) const {
    std::vector<double> distances(coarse.logits.size());
    for (std::size_t frame = 0; frame < distances.size(); ++frame) {
      double product = 0;
      double ours = 0;
      double theirs = 0;
      for (std::size_t i = 0; i < width_; ++i) {
        const double x = at(coarse, frame, i) - mean_[i];
        const double y = at(fine_, frame, i) - mean_[i];
        product += x * y;
        ours += x * x;
        theirs += y * y;
      }
      // Rounding may put the cosine of equal embeddings above 1.
      const double distance = std::max(0.0, 1 - product / std::sqrt(ours * theirs));
      distances[frame] = std::isfinite(distance) ? distance : 2;
    }
    return distances;
  }

  Closeness closeness(const Computed& coarse, std::size_t tokens) const {
    const std::size_t frames = coarse.logits.size();
    Closeness closeness{.centred = largest_without_outliers(distances(coarse)),
                        .tokens_per_second = rate_of(tokens, coarse.seconds)};
    const auto equal =
        std::inner_product(coarse.virus.begin(), coarse.virus.end(), fine_.virus.begin(),
                           std::size_t{0}, std::plus<>(), std::equal_to<>());
    closeness.equal_calls = static_cast<double>(equal) / static_cast<double>(frames);
    ErrorSums errors;
    for (const double error : logit_errors(coarse)) errors.add(error);
    closeness.logit_mean = errors.mean();
    closeness.logit_rms = errors.rms();
    closeness.logit_largest = errors.largest();
    return closeness;
  }

 private:
  double at(const Computed& computed, std::size_t frame, std::size_t i) const {
    return static_cast<double>(computed.embeddings[frame * width_ + i]);
  }
  [[noreturn]] void refuse() const {
    throw Error(
        ErrorKind::kNotFinite,
        fmt::format("for a frame of the sample, in the check precision {}", name_of(check_)))
        .advised(check_ == Precision::kFp32
                     ? "Check the weights (virnucpro utils inspect FILE)."
                     : "Check the weights (virnucpro utils inspect FILE), or use --check-precision "
                       "fp32.");
  }

  Computed fine_;
  std::size_t width_;
  std::vector<double> mean_;
  Precision check_;
};

// Returns the number of multiplications of a linear layer per token.
std::uint64_t work_of(Esm2Linear linear, const Esm2Shape& shape) {
  const std::uint64_t width = shape.width;
  switch (linear) {
    case Esm2Linear::kQkv:
      return 3 * width * width;
    case Esm2Linear::kOut:
      return width * width;
    case Esm2Linear::kFc1:
    case Esm2Linear::kFc2:
      break;
  }
  return width * shape.ffn;
}

std::vector<Esm2Place> places_of(const Esm2Shape& shape) {
  std::vector<Esm2Place> places;
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    for (std::size_t linear = 0; linear < kEsm2Linears; ++linear) {
      places.push_back({.layer = layer, .linear = static_cast<Esm2Linear>(linear)});
    }
  }
  return places;
}

constexpr EngineOutputs kOutputs{.scores = true, .dnabert_s = false, .esm2 = true};

// The work of calibrate(), step by step.
class Calibrating {
 public:
  Calibrating(const CalibrateSettings& settings, const Cancel& cancel,
              const std::function<void(const CalibrationPoint&)>& on_point,
              const std::function<void(const std::string&)>& say)
      : settings_(settings), cancel_(cancel), on_point_(on_point), say_(say) {}

  CalibrationResult run() {
    load(settings_.compute.int8_policy);
    shape_ = loaded_->esm2_shape;
    sample();
    say_(fmt::format("computing {} frames in {}, then in {}", grouped(frames_.size()),
                     name_of(settings_.compute.check_precision.value()),
                     precision_name(settings_.compute)));
    compute_reference();
    measure_loaded(settings_.compute.int8_policy);
    const bool may_search = settings_.compute.precision == Precision::kInt8 &&
                            settings_.compute.int8_policy == Int8Policy();
    if (may_search && !reached()) search();
    set_margin();
    return std::move(result_);
  }

 private:
  bool reached() const { return result_.result().closeness.reaches(settings_.target); }

  EngineSettings settings_with(const Int8Policy& policy) const {
    ComputeSettings compute = settings_.compute;
    if (reference_) compute.check_precision.reset();
    compute.int8_policy = policy;
    return engine_settings(compute, kOutputs);
  }

  // Loads the models again. Frees the earlier engine first, so that memory never holds two engines.
  void load(const Int8Policy& policy) {
    loaded_.reset();
    loaded_.emplace(load_models(settings_.models, settings_with(policy), cancel_));
  }

  // Loads the models into an engine whose policy is `searched_`.
  void load_for_search() {
    loaded_.emplace();
    loaded_->engine = make_search_engine(open_models(settings_.models, kOutputs), settings_with({}),
                                         searched_, cancel_);
  }

  void sample() {
    frames_ = sample_frames({.file = settings_.sample_file,
                             .chunk_size = settings_.chunk_size,
                             .frames = settings_.frames,
                             .first_seed = settings_.seed << kSeedShift},
                            &loaded_->tokenizer.value(), cancel_);
    computation_.emplace(settings_, frames_, cancel_);
    result_.frames = frames_.size();
    result_.tokens = tokens_of(frames_.size());
  }

  void compute_reference() {
    result_.description = loaded_->description;
    reference_.emplace(computation_->run(*loaded_->engine, frames_.size(), kCheckModel),
                       loaded_->engine->facts().esm2_width,
                       settings_.compute.check_precision.value());
    result_.check_tokens_per_second = rate_of(result_.tokens, reference_->seconds());
  }

  // Measures all frames. `policy` is the policy with which the engine was loaded.
  void measure_loaded(const Int8Policy& policy) {
    const Computed coarse = computation_->run(*loaded_->engine, frames_.size(), kRunModel);
    errors_ = reference_->logit_errors(coarse);
    add(policy, coarse);
  }

  void add(const Int8Policy& policy, const Computed& coarse) {
    const std::size_t frames = coarse.logits.size();
    CalibrationPoint point{.policy = policy, .frames = frames};
    point.closeness = reference_->closeness(coarse, tokens_of(frames));
    std::uint64_t all = 0;
    std::uint64_t in_8_bits = 0;
    for (const Esm2Place& place : places_of(shape_)) {
      const std::uint64_t work = work_of(place.linear, shape_);
      all += work;
      if (policy.in_8_bits(place))
        in_8_bits += work;
      else
        ++point.kept;
    }
    if (settings_.compute.precision == Precision::kInt8) {
      point.in_8_bits = static_cast<double>(in_8_bits) / static_cast<double>(all);
    }
    result_.points.push_back(std::move(point));
    on_point_(result_.result());
  }

  std::size_t tokens_of(std::size_t frames) const {
    return std::accumulate(
        frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(frames), std::size_t{0},
        [](std::size_t sum, const FrameTokens& frame) { return sum + frame.esm.size(); });
  }

  // Finds, on kFramesOfASearch frames, the smallest number of linear layers in 16 bits that reaches
  // the target. Then measures all frames, and keeps more layers in 16 bits until the target is
  // reached. In these measurements the engine corrects its biases for the policy, as in predict, so
  // the errors differ a little from the errors of the search.
  void search() {
    load_for_search();
    const std::vector<Esm2Place> places = by_cost();
    std::size_t kept = fewest_kept(places);
    for (;;) {
      const Int8Policy policy = keeping(places, kept);
      load(policy);
      measure_loaded(policy);
      if (reached() || kept == places.size()) break;
      kept = std::min(places.size(), kept + std::max<std::size_t>(1, kept / 4));
    }
  }

  Int8Policy keeping(const std::vector<Esm2Place>& places, std::size_t kept) const {
    return Int8Policy::keeping(std::span(places).first(kept)).of_model(shape_.layers);
  }

  // Sorts the linear layers by error per multiplication, the largest first. A layer's error is the
  // error of the model with only this layer in 8 bits. The errors of several layers nearly add up,
  // like variances. One engine holds the weights in both 8 and 16 bits, because loading ESM-2 3B
  // for each of its 144 linear layers would take an hour.
  std::vector<Esm2Place> by_cost() {
    const std::vector<Esm2Place> places = places_of(shape_);
    say_(
        fmt::format("the target is missed: trying each of {} matrix products alone in 8 bits, the "
                    "others in 16 bits",
                    places.size()));
    const std::size_t frames = std::min(frames_.size(), kFramesOfALinear);
    std::vector<std::pair<double, Esm2Place>> costs;
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::vector<Esm2Place> others = places;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      searched_ = Int8Policy::keeping(others);
      const std::vector<double> far =
          reference_->distances(computation_->run(*loaded_->engine, frames, kRunModel));
      const double sum = std::accumulate(far.begin(), far.end(), 0.0);
      costs.emplace_back(sum / static_cast<double>(work_of(places[i].linear, shape_)), places[i]);
    }
    std::ranges::stable_sort(costs, std::ranges::greater(), &std::pair<double, Esm2Place>::first);
    std::vector<Esm2Place> sorted;
    for (const auto& [cost, place] : costs) sorted.push_back(place);
    return sorted;
  }

  // Finds the smallest number of linear layers to keep in 16 bits. Uses bisection, because keeping
  // more layers hardly ever adds error.
  std::size_t fewest_kept(const std::vector<Esm2Place>& places) {
    const std::size_t frames = std::min(frames_.size(), kFramesOfASearch);
    std::size_t too_few = 0;
    std::size_t enough = places.size();
    while (enough - too_few > 1) {
      const std::size_t kept = (too_few + enough) / 2;
      searched_ = keeping(places, kept);
      add(searched_, computation_->run(*loaded_->engine, frames, kRunModel));
      (reached() ? enough : too_few) = kept;
    }
    return enough;
  }

  void set_margin() {
    if (errors_.empty()) {
      throw Error(ErrorKind::kNotFinite, fmt::format("for every frame of the sample, in {}",
                                                     precision_name(settings_.compute)))
          .advised("The check precision gave finite numbers: choose a finer --precision.");
    }
    const std::size_t above = allowed_above_margin(errors_.size());
    for (double& error : errors_) error = std::abs(error);
    std::ranges::sort(errors_, std::ranges::greater());
    // predict refuses a margin below least_margin(), but a useless classifier may have tiny errors.
    result_.margin = std::max(errors_[above], least_margin(precision_name(settings_.compute)));
    result_.chance = chance_of_more(errors_.size(), above);
  }

  const CalibrateSettings& settings_;
  const Cancel& cancel_;
  const std::function<void(const CalibrationPoint&)>& on_point_;
  const std::function<void(const std::string&)>& say_;
  Int8Policy searched_{};
  std::optional<LoadedModels> loaded_;
  Esm2Shape shape_{};
  std::vector<FrameTokens> frames_;
  std::optional<Computation> computation_;
  std::optional<Reference> reference_;
  std::vector<double> errors_;  // errors of the logits that the last engine computed
  CalibrationResult result_;
};

}  // namespace

bool Closeness::reaches(const CalibrationTarget& target) const {
  return centred <= target.centred && equal_calls >= target.equal_calls;
}

CalibrationResult calibrate(const CalibrateSettings& settings, const Cancel& cancel,
                            const std::function<void(const CalibrationPoint&)>& on_point,
                            const std::function<void(const std::string&)>& say) {
  return Calibrating(settings, cancel, on_point, say).run();
}

std::size_t allowed_above_margin(std::size_t frames) {
  std::size_t above = 0;
  while (above + 1 < frames && chance_of_more(frames, above + 1) <= kFlipChance) ++above;
  return above;
}

double largest_without_outliers(std::vector<double> numbers) {
  const auto left_out =
      static_cast<std::ptrdiff_t>(kOutliers * static_cast<double>(numbers.size()));
  const auto largest = numbers.end() - 1 - left_out;
  std::ranges::nth_element(numbers, largest);
  return *largest;
}

double chance_of_more(std::size_t frames, std::size_t above) {
  return upper_bound_of_share(static_cast<double>(above), static_cast<double>(frames), kConfidence);
}

}  // namespace virnucpro
