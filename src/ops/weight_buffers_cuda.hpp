#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ops/context_cuda.hpp"
#include "ops/linear.hpp"
#include "tensor/device_memory.hpp"
#include "weights/weights.hpp"

namespace virnucpro::cuda {

// Memory of weights on the device. The *_later() functions fill it when the context's uploads run.

// Makes a buffer for a whole fp32 tensor, row-major without gaps.
DeviceBuffer read_later(Context& context, const Weights& weights, const std::string& name,
                        const Shape& shape);
DeviceBuffer zeros(std::size_t numbers);  // fp32
DeviceBuffer copy_of(std::span<const float> values);

// Makes a buffer for the parts' biases side by side, fp32.
DeviceBuffer read_biases_later(Context& context, const Weights& weights,
                               std::span<const LinearPart> parts);

// Throws kWeightsTensor unless both sizes are multiples of `multiple`: products read their operands
// 16 bytes at a time.
void check_sizes(const Weights& weights, const std::string& name, std::size_t inputs,
                 std::size_t outputs, std::size_t multiple);

}  // namespace virnucpro::cuda
