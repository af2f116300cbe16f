#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "ops/token_batch.hpp"

namespace virnucpro {

// Returns the rows over which each sequence's mean is taken. Each sequence must be longer than the
// rows that are skipped.
std::vector<RowRange> pooled_rows(std::span<const std::uint32_t> offsets, const PooledRows& rows);

// out[i] = mean of the rows of ranges[i], summed in order in double. out: [ranges, width]; each
// range has at least one row.
void mean_pool(OpContext& context, const Panels& in, std::span<const RowRange> ranges,
               std::span<float> out);

}  // namespace virnucpro
