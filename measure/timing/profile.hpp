#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "measure/timing/budget_sweep.hpp"
#include "run/load_models.hpp"
#include "run/settings.hpp"

namespace virnucpro {

enum class ProfiledModel : std::uint8_t { kDnabertS, kEsm2 };

struct ProfileSettings {
  ProfiledModel model = ProfiledModel::kEsm2;
  ModelSettings models;
  ComputeSettings compute;           // its token budget and deduplication are ignored
  std::vector<std::size_t> budgets;  // in ascending order, at least one
  std::string test_file;             // file with the sequences of the frames; empty: made-up frames
  std::uint64_t chunk_size = 500;
  // Measuring time of each budget, divided equally among its repeats. A repeat may take longer,
  // because it measures at least one batch.
  double seconds = 2;
};

// Measures one model on one device at one token budget after the other. Batches are packed in
// advance, so the rate is the engine's, without reading, tokenizing and packing. Every budget gets
// the same sampled frames, without deduplication.
class Profiler {
 public:
  // Loads the model and samples the frames. Errors: those of load_models() and sample_frames().
  Profiler(ProfileSettings settings, const Cancel& cancel);

  const std::map<std::string, std::string>& description() const { return models_.description; }
  std::size_t frames() const { return sampled_frames_; }
  std::size_t tokens() const { return sampled_tokens_; }

  // Measures the budgets, and passes each row to `on_row` at once. Errors: those of the engine;
  // kOutOfMemory if memory is too small for the smallest budget.
  std::vector<BudgetRow> run(const std::function<void(const BudgetRow&)>& on_row);

 private:
  void sample_frames_to_measure();
  std::vector<BatchRequest> pack(std::size_t token_budget) const;
  BudgetRow measure(std::size_t token_budget);

  ProfileSettings settings_;
  const Cancel& cancel_;
  LoadedModels models_;
  std::vector<FrameTokens> frames_;
  std::size_t sampled_frames_ = 0;
  std::size_t sampled_tokens_ = 0;
};

}  // namespace virnucpro
