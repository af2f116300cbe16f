#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

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

// A GPU to compute on.
struct GpuId {
  int index = 0;       // as CUDA counts those it shows this process
  std::string uuid{};  // by which a worker process is shown this one alone
  std::string pci{};   // "0000:3b:00.0"; empty: not known
};

// How a run computes: none of it changes a result, except `precision`.
struct ComputeSettings {
  std::size_t threads = 1;
  Precision precision = Precision::kFp32;
  std::vector<GpuId> gpus{};     // one worker process each; empty: the CPU
  std::size_t cpu_workers = 1;   // processes that share the threads, on the CPU
  std::size_t token_budget = 0;  // 0: the device's own choice
  std::size_t prefetch = 2;      // batches that wait for a worker while it computes
  bool packing = true;           // false: one frame a batch
  bool deduplicate = true;
  // What a worker process is made of. Empty: there are none, and this process computes, on the
  // first GPU or the CPU.
  std::filesystem::path worker_program{};
};

}  // namespace virnucpro
