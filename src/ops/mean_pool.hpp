#pragma once

#include <span>

#include "ops/context.hpp"
#include "ops/panels.hpp"

namespace virnucpro {

// out[i] = mean of the rows of ranges[i], summed in order in double. out: [ranges, width]; a range
// holds at least one row.
void mean_pool(OpContext& context, const Panels& in, std::span<const RowRange> ranges,
               std::span<float> out);

}  // namespace virnucpro
