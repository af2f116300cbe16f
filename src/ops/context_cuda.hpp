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
#include "ops/streamed_weights_cuda.hpp"
#include "ops/uploads_cuda.hpp"
#include "tensor/arena.hpp"
#include "tensor/device_memory.hpp"

namespace virnucpro::cuda {

Element element_of(Precision precision);  // element type of products' inputs

inline constexpr std::size_t kPositions = 1024;  // positions of a new rotary table

// Tables for rotary embedding on the device. All layers with the same inv_freq share them.
struct RotaryAngles {
  std::vector<float> inv_freq;
  DeviceBuffer cosines;  // [positions, inv_freq.size()]
  DeviceBuffer sines;
  std::size_t positions = 0;
};

// Memory that 8-bit linears use while they correct their biases.
struct Calibration {
  // The second 8 bits of a weight (quantise_rest()), in one of two buffers. Kernels can read both.
  struct Rest {
    DeviceBuffer device;
    PinnedBuffer host;

    std::int8_t* codes() const {
      return static_cast<std::int8_t*>(host.bytes() > 0 ? host.data() : device.data());
    }
  };

  bool in_host_memory = false;                    // true: make_rest() uses the host's memory
  std::unordered_map<const void*, Rest> rests{};  // key: address of the weight's codes
  DeviceBuffer means{};  // fp32 [2, inputs]: ColumnMeans::exact, then ColumnMeans::coded

  Rest make_rest(std::size_t bytes) const {
    if (in_host_memory) return {.device = {}, .host = PinnedBuffer(bytes)};
    return {.device = DeviceBuffer(Purpose::kStaging, bytes), .host = {}};
  }
  void add(const void* codes, Rest rest, std::size_t inputs) {
    rests.emplace(codes, std::move(rest));
    const std::size_t bytes = 2 * inputs * sizeof(float);
    if (means.bytes() < bytes) means = DeviceBuffer(Purpose::kStaging, bytes);
  }
};

// The arguments that all GPU ops need besides their operands. Ops only enqueue work on `stream`;
// the caller waits for the stream.
struct Context {
  const Cancel& cancel;
  Precision precision = Precision::kFp32;
  cudaStream_t stream = nullptr;
  Gemm gemm = nullptr;                                  // computes products in `precision`
  Gemm int8_gemm = nullptr;                             // computes 8-bit products
  Attention attention = nullptr;                        // computes attention in `precision`
  Arena arena{};                                        // for a batch's activations
  Uploads uploads{};                                    // copies weights while models are made
  std::vector<std::unique_ptr<RotaryAngles>> angles{};  // one for each inv_freq
  // Says which linears use 8 bits. Once models exist, it may change only with `any_int8_policy`.
  Int8Policy int8_policy{};
  bool any_int8_policy = false;
  // If set while a model is made, the model's linears keep their weights in the host's memory.
  std::unique_ptr<StreamedWeights> streamed{};
  // Set from the construction of 8-bit linears until a batch has corrected their biases.
  std::unique_ptr<Calibration> calibration{};

  Element element() const { return element_of(precision); }
};

// Enlarges the rotary tables that have fewer than `positions` positions. The device must be idle,
// because the old tables are freed.
void cover_positions(Context& context, std::size_t positions);

}  // namespace virnucpro::cuda
