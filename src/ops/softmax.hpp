#pragma once

#include <span>

namespace virnucpro {

// Applies softmax to one row in place, in fp32, summed in order.
void softmax(std::span<float> row);

}  // namespace virnucpro
