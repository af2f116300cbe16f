#pragma once

#include <cstddef>
#include <span>

#include "base/dtype.hpp"

namespace virnucpro {

// Whether values of this type can be weights: fp32, fp16 and bf16.
bool is_weight_type(DType type);
// Converts little-endian values of a weight type to fp32, exactly; from.size() is out.size() ·
// size_of(type). `from` need not be aligned.
void convert_to_f32(DType type, std::span<const std::byte> from, std::span<float> out);

}  // namespace virnucpro
