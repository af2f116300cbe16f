#include "measure/timing/profile.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/time.hpp"
#include "run/batch_runner.hpp"
#include "run/frame_sample.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kRepeats = 5;
// Seconds of warm-up. An idle GPU starts at its highest clock, and slows down at its power limit
// after 0.3 to 1 s, so its first rate does not last. Every row has a warm-up, because a larger
// budget may be the first that reaches the limit.
constexpr double kWarmUpOnGpu = 1;
// A sample of frames has at least this many batches of the largest budget.
constexpr std::size_t kBatchesAtLeast = 4;

LoadedModels load(const ProfileSettings& settings, const Cancel& cancel) {
  ComputeSettings compute = settings.compute;
  // The engine plans memory for the smallest budget; larger batches allocate more. If it planned
  // for the largest budget, it could warn of too little memory, which that budget's row reports.
  compute.token_budget = settings.budgets.front();
  const bool esm2 = settings.model == ProfiledModel::kEsm2;
  const EngineOutputs outputs{.scores = false, .dnabert_s = !esm2, .esm2 = esm2};
  return load_models(settings.models, engine_settings(compute, outputs), cancel);
}

// The work of one timed period.
struct Stretch {
  std::size_t tokens = 0;
  std::uint64_t batches = 0;
  double seconds = 0;
  double device_seconds = 0;  // time in which the device computed, by device events

  double rate() const { return static_cast<double>(tokens) / seconds; }
};

// Passes batches to an engine, one after the other. Keeps as many batches open as a worker does,
// also after run() returns, so that the device stays busy.
class BatchLoop {
 public:
  BatchLoop(Engine& engine, std::vector<BatchRequest> requests)
      : engine_(engine), requests_(std::move(requests)) {}

  // Runs batches for this many seconds, but at least one batch.
  Stretch run(double seconds) {
    const StopWatch watch;
    Stretch stretch;
    do {
      while (begun_ - finished_ < engine_.facts().depth) engine_.begin(request(begun_++));
      finish(stretch);
      ++stretch.batches;
      stretch.seconds = watch.seconds();
    } while (stretch.seconds < seconds);
    return stretch;
  }

  // Finishes all open batches.
  void end() {
    Stretch rest;
    while (finished_ < begun_) finish(rest);
  }

 private:
  const BatchRequest& request(std::uint64_t number) const {
    return requests_[number % requests_.size()];
  }

  // Waits for the oldest open batch.
  void finish(Stretch& stretch) {
    stretch.device_seconds += engine_.finish().times.busy();
    const PackedFrames& frames = request(finished_++).frames;
    stretch.tokens += frames.esm_tokens.size() + frames.dna_tokens.size();
  }

  Engine& engine_;
  std::vector<BatchRequest> requests_;
  std::uint64_t begun_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace

Profiler::Profiler(ProfileSettings settings, const Cancel& cancel)
    : settings_(std::move(settings)), cancel_(cancel), models_(load(settings_, cancel)) {
  settings_.compute.deduplicate = false;
  sample_frames_to_measure();
}

void Profiler::sample_frames_to_measure() {
  const SampleSettings sample{.file = settings_.test_file,
                              .chunk_size = settings_.chunk_size,
                              .tokens = kBatchesAtLeast * settings_.budgets.back(),
                              .proteins = settings_.model == ProfiledModel::kEsm2};
  frames_ = sample_frames(sample, models_.tokenizer ? &*models_.tokenizer : nullptr, cancel_);
  sampled_frames_ = frames_.size();
  for (const FrameTokens& frame : frames_) sampled_tokens_ += token_count(frame);
  // Repeats the frames of a short file until the sample is large enough.
  std::size_t tokens = sampled_tokens_;
  for (std::size_t i = 0; tokens < sample.tokens; ++i) {
    frames_.push_back(FrameTokens(frames_[i]));
    tokens += token_count(frames_[i]);
  }
}

std::vector<BatchRequest> Profiler::pack(std::size_t token_budget) const {
  std::vector<BatchRequest> requests;
  for (PackedBatch& batch : pack_all(pack_settings(settings_.compute, token_budget), frames_)) {
    requests.push_back({.id = requests.size(), .frames = std::move(batch.frames)});
  }
  // Leaves out the last batch, which has only the remaining frames and so is not full.
  if (requests.size() > 1) requests.pop_back();
  return requests;
}

BudgetRow Profiler::measure(std::size_t token_budget) {
  cancel_.check();
  BatchLoop loop(*models_.engine, pack(token_budget));
  const double seconds = settings_.seconds / kRepeats;
  // Warms up: memory grows and clocks settle.
  loop.run(!settings_.compute.gpus.empty() ? std::max(seconds, kWarmUpOnGpu) : seconds);
  std::vector<double> rates;
  Stretch all;
  for (std::size_t repeat = 0; repeat < kRepeats; ++repeat) {
    const Stretch stretch = loop.run(seconds);
    rates.push_back(stretch.rate());
    all.batches += stretch.batches;
    all.seconds += stretch.seconds;
    all.device_seconds += stretch.device_seconds;
  }
  loop.end();
  BudgetRow row = summarise_repeats(token_budget, std::move(rates), all.batches);
  row.busy_share = all.device_seconds / all.seconds;
  return row;
}

std::vector<BudgetRow> Profiler::run(const std::function<void(const BudgetRow&)>& on_row) {
  return sweep_budgets(
      settings_.budgets, [this](std::size_t budget) { return measure(budget); }, on_row);
}

}  // namespace virnucpro
