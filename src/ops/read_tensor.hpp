#pragma once

#include <string>

#include "tensor/host_buffer.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// Reads the values of one tensor as fp32. Errors: those of Weights::read().
HostArray<float> read_tensor(const Weights& weights, const std::string& name, const Shape& shape);

}  // namespace virnucpro
