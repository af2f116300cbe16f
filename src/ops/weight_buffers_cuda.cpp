#include "ops/weight_buffers_cuda.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

DeviceBuffer read_later(Context& context, const Weights& weights, const std::string& name,
                        const Shape& shape) {
  std::size_t numbers = 1;
  for (const std::uint64_t size : shape) numbers *= size;
  DeviceBuffer buffer(Purpose::kWeights, numbers * sizeof(float));
  context.uploads.add(weights, name, shape, {.data = buffer.data(), .rows = 1, .width = numbers});
  return buffer;
}

DeviceBuffer zeros(std::size_t numbers) {
  DeviceBuffer buffer(Purpose::kWeights, numbers * sizeof(float));
  check_cuda(cudaMemset(buffer.data(), 0, buffer.bytes()), "cudaMemset");
  wait_for_default_stream();
  return buffer;
}

DeviceBuffer copy_of(std::span<const float> values) {
  DeviceBuffer buffer(Purpose::kWeights, values.size_bytes());
  upload(values, buffer.data());
  return buffer;
}

DeviceBuffer read_biases_later(Context& context, const Weights& weights,
                               std::span<const LinearPart> parts) {
  DeviceBuffer biases(Purpose::kWeights, outputs_of(parts) * sizeof(float));
  auto* next = static_cast<float*>(biases.data());
  for (const LinearPart& part : parts) {
    context.uploads.add(weights, part.bias, {part.outputs},
                        {.data = next, .rows = 1, .width = part.outputs});
    next += part.outputs;
  }
  return biases;
}

void check_sizes(const Weights& weights, const std::string& name, std::size_t inputs,
                 std::size_t outputs, std::size_t multiple) {
  if (inputs % multiple == 0 && outputs % multiple == 0) return;
  throw Error(
      ErrorKind::kWeightsTensor, Place{.file = weights.origin(), .tensor = name},
      fmt::format(
          "the layer has {} inputs and {} outputs; a GPU needs multiples of {}: use --device cpu",
          inputs, outputs, multiple));
}

}  // namespace virnucpro::cuda
