#pragma once

#include <span>

namespace virnucpro {

// Replaces one row by its softmax, in fp32. The sum adds in the order of the row.
void softmax(std::span<float> row);

}  // namespace virnucpro
