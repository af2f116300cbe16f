#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "ops/token_batch.hpp"

namespace virnucpro {

// Returns the rows of each sequence over which mean_pool() takes the mean. Each sequence must have
// more rows than 2 · rows.skipped.
std::vector<RowRange> pooled_rows(std::span<const std::uint32_t> offsets, const PooledRows& rows);

// Computes out[i], the mean of the rows of ranges[i]; sums are double, in the order of the rows.
// `out` is [ranges, width]. Each range must have at least one row.
void mean_pool(OpContext& context, const Panels& in, std::span<const RowRange> ranges,
               std::span<float> out);

}  // namespace virnucpro
