#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "ops/token_batch.hpp"

namespace virnucpro {

// The rows of a batch that each sequence's mean is taken over. Sequences are longer than what
// `rows` skips of them.
std::vector<RowRange> pooled_rows(std::span<const std::uint32_t> offsets, const PooledRows& rows);

// out[i] = mean of the rows of ranges[i], summed in order in double. out: [ranges, width]; a range
// holds at least one row.
void mean_pool(OpContext& context, const Panels& in, std::span<const RowRange> ranges,
               std::span<float> out);

}  // namespace virnucpro
