#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ops/context.hpp"
#include "weights/load.hpp"

namespace virnucpro {

// Which models a run uses, as the user named them.
struct ModelSettings {
  std::string dnabert_s;
  std::string esm2;
  std::string classifier;  // empty: none is needed
  ModelLookup lookup;
};

// How a run computes: none of it changes a result, except `precision`.
struct ComputeSettings {
  std::size_t threads = 1;
  Precision precision = Precision::kFp32;
  std::optional<int> gpu{};      // a CUDA device; empty: the CPU
  std::size_t token_budget = 0;  // 0: the device's own choice
  std::size_t prefetch = 2;      // batches in flight
  bool packing = true;           // false: one frame a batch
  bool deduplicate = true;
};

}  // namespace virnucpro
