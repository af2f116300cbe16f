#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cancel.hpp"
#include "ops/attention_cuda.hpp"
#include "ops/context.hpp"
#include "ops/gemm_cuda.hpp"
#include "ops/int8_policy.hpp"
#include "ops/uploads_cuda.hpp"
#include "tensor/arena.hpp"
#include "tensor/device_memory.hpp"

namespace virnucpro::cuda {

Element element_of(Precision precision);  // type of products' inputs

inline constexpr std::size_t kPositions = 1024;  // number of positions in the first rotary tables

// Cosines and sines of positions on the device, shared by several layers.
struct RotaryAngles {
  std::vector<float> inv_freq;
  DeviceBuffer cosines;  // [positions, inv_freq.size()]
  DeviceBuffer sines;
  std::size_t positions = 0;
};

// Memory that 8-bit linears need while they correct their biases.
struct Calibration {
  std::unordered_map<const void*, DeviceBuffer> rests;  // weights' second 8 bits, by codes
  DeviceBuffer means;                                   // fp32, two for each input of a linear

  void add(const void* codes, DeviceBuffer rest, std::size_t inputs) {
    rests.emplace(codes, std::move(rest));
    const std::size_t bytes = 2 * inputs * sizeof(float);
    if (means.bytes() < bytes) means = DeviceBuffer(Purpose::kStaging, bytes);
  }
};

// Everything that the device's ops need besides their operands, like OpContext on the CPU. Ops only
// enqueue work on `stream`; the caller waits for the stream.
struct Context {
  const Cancel& cancel;
  Precision precision = Precision::kFp32;
  cudaStream_t stream = nullptr;
  Gemm gemm = nullptr;            // products in `precision`
  Attention attention = nullptr;  // attention in `precision`
  Arena arena{};                  // memory of a batch's activations
  Uploads uploads{};              // weights to be copied while models are made
  std::vector<std::unique_ptr<RotaryAngles>> angles{};  // one for each set of frequencies
  // The policy of models made with this context; with `any_int8_policy` it may change afterwards.
  Int8Policy int8_policy{};
  bool any_int8_policy = false;
  // Set while 8-bit linears are made and until they have corrected their biases on a batch.
  std::unique_ptr<Calibration> calibration{};

  Element element() const { return element_of(precision); }
};

// Computes the angles of all positions below `positions` that are still missing. The device must be
// idle.
void cover_positions(Context& context, std::size_t positions);

}  // namespace virnucpro::cuda
