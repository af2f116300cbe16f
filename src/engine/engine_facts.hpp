#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "observe/batch_metrics.hpp"

namespace virnucpro {

// An engine's token budget, and the sizes from which it follows.
struct BudgetPlan {
  std::uint64_t tokens = 0;   // the budget
  std::uint64_t wanted = 0;   // the user's number, or else the device's
  bool is_auto = true;        // the user did not give a number
  std::uint64_t threads = 0;  // threads of the CPU; 0: a GPU computes
  // Bytes of a GPU's memory; on the CPU 0:
  std::uint64_t weights = 0;
  std::uint64_t batches = 0;  // reserved for batches of this budget
  std::uint64_t free = 0;     // before the models were loaded
  std::uint64_t total = 0;
};

// Returns a text such as "batches of 32,768 tokens (auto): 5.5 GiB of weights, 4.0 GiB for batches,
// 71.0 GiB of 79.0 GiB were free".
std::string plan_text(const BudgetPlan& plan);

// The facts of an engine when it is ready to compute.
struct EngineFacts {
  BudgetPlan plan{};
  std::optional<WorkerMemory> memory{};  // empty on the CPU
  std::uint32_t esm2_layers = 0;         // 0: ESM-2 is not computed
};

}  // namespace virnucpro
