#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "observe/batch_metrics.hpp"

namespace virnucpro {

// An engine's token budget and the numbers that led to it.
struct BudgetPlan {
  std::uint64_t tokens = 0;   // the budget
  std::uint64_t wanted = 0;   // the user's number, or the device's default
  bool is_auto = true;        // true if the user gave no number
  std::uint64_t threads = 0;  // CPU threads; 0 for a GPU
  // Bytes of GPU memory; 0 on the CPU:
  std::uint64_t weights = 0;
  std::uint64_t batches = 0;  // reserved for batches of this budget
  std::uint64_t free = 0;     // free before the models were loaded
  std::uint64_t total = 0;
};

// Returns a text like "batches of 32,768 tokens (auto): 5.5 GiB of weights, 4.0 GiB for batches;
// the GPU had 71.0 GiB of 79.0 GiB free".
std::string plan_text(const BudgetPlan& plan);

// An engine's facts from the time when it was ready to compute.
struct EngineFacts {
  // The name of the code that computes: cpu_kernel_path() or cuda_kernel_path(). Two engines give
  // the same bytes only if their names and precisions are equal.
  std::string kernel_path{};
  std::uint32_t dnabert_s_width = 0;  // 0: DNABERT-S is not computed
  std::uint32_t esm2_width = 0;       // 0: ESM-2 is not computed
  // How many batches may be in progress at once: a GPU computes one batch while the next is copied.
  std::uint64_t depth = 1;
  BudgetPlan plan{};
  std::optional<WorkerMemory> memory{};  // empty on the CPU
  std::uint32_t esm2_layers = 0;         // 0: ESM-2 is not computed
};

}  // namespace virnucpro
