#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cancel.hpp"
#include "ops/attention_cuda.hpp"
#include "ops/context.hpp"
#include "ops/gemm_cuda.hpp"
#include "ops/uploads_cuda.hpp"
#include "tensor/arena.hpp"
#include "tensor/device_memory.hpp"

namespace virnucpro::cuda {

Element element_of(Precision precision);  // of the inputs of products

inline constexpr std::size_t kPositions = 1024;  // that rotary angles cover at first

// Cosines and sines of positions that several layers share, on the device.
struct RotaryAngles {
  std::vector<float> inv_freq;
  DeviceBuffer cosines;  // [positions, inv_freq.size()]
  DeviceBuffer sines;
  std::size_t positions = 0;
};

// What the device's ops need beside their operands: ops/context.hpp's counterpart. Work is enqueued
// on `stream`; who calls an op looks after it.
struct Context {
  const Cancel& cancel;
  Precision precision = Precision::kFp32;
  cudaStream_t stream = nullptr;
  Gemm gemm = nullptr;            // products in `precision`
  Attention attention = nullptr;  // of operands in `precision`
  Arena arena{};                  // a batch's activations
  Uploads uploads{};              // weights on their way, while models are made
  std::vector<std::unique_ptr<RotaryAngles>> angles{};  // one for each set of frequencies

  Element element() const { return element_of(precision); }
};

// Computes the angles of every position below `positions` where they are not there yet. No work of
// the device may be under way.
void cover_positions(Context& context, std::size_t positions);

}  // namespace virnucpro::cuda
