#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ops/context.hpp"
#include "ops/int8_policy.hpp"
#include "tokens/packer.hpp"
#include "weights/load.hpp"

namespace virnucpro {

struct GpuId {
  int index = 0;       // CUDA's number among the GPUs visible to this process
  std::string uuid{};  // for a worker process, to make only this GPU visible
  std::string pci{};   // its PCI address, "0000:3b:00.0"; empty if unknown
};

inline constexpr std::size_t kMostThreads = 1024;

// How a run computes. Only the precisions and `int8_policy` change results.
struct ComputeSettings {
  std::size_t threads = 1;
  Precision precision = Precision::kFp32;
  Int8Policy int8_policy{};
  // Close calls are computed again in this precision, if it is set (run/close_calls.hpp).
  std::optional<Precision> check_precision{};
  std::vector<GpuId> gpus{};     // one worker process each; empty: the CPU
  bool generic_kernels = false;  // true: use them even on a Hopper GPU
  std::size_t cpu_workers = 1;   // processes that share the threads, on the CPU
  std::size_t token_budget = 0;  // 0: the device's default
  std::size_t prefetch = 2;      // batches in a worker's queue while it computes another
  bool packing = true;           // false: one frame per batch
  bool deduplicate = true;
  // The program of a worker process. Empty: no workers; this process computes, on the first GPU or
  // the CPU.
  std::filesystem::path worker_program{};
};

}  // namespace virnucpro
