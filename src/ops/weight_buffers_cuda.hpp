#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ops/context_cuda.hpp"
#include "ops/linear.hpp"
#include "tensor/device_memory.hpp"
#include "weights/weights.hpp"

namespace virnucpro::cuda {

// Buffers for weights on the device. Uploads::run() fills the buffers of the *_later() functions.

// Makes a buffer for all numbers of a tensor, in fp32, row-major.
DeviceBuffer read_later(Context& context, const Weights& weights, const std::string& name,
                        const Shape& shape);
DeviceBuffer zeros(std::size_t numbers);  // fp32
DeviceBuffer copy_of(std::span<const float> values);

// Makes one buffer for the biases of all parts, side by side, in fp32.
DeviceBuffer read_biases_later(Context& context, const Weights& weights,
                               std::span<const LinearPart> parts);

// Throws kWeightsTensor unless both sizes are multiples of `multiple`, because product kernels read
// 16 bytes at a time.
void check_sizes(const Weights& weights, const std::string& name, std::size_t inputs,
                 std::size_t outputs, std::size_t multiple);

}  // namespace virnucpro::cuda
