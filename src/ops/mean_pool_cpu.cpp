#include <algorithm>
#include <vector>

#include "ops/mean_pool.hpp"

namespace virnucpro {

std::vector<RowRange> pooled_rows(std::span<const std::uint32_t> offsets, const PooledRows& rows) {
  std::vector<RowRange> ranges;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::size_t first = offsets[i] + rows.skipped;
    const std::size_t last = offsets[i + 1] - rows.skipped;
    ranges.push_back({first, std::min<std::size_t>(last, first + rows.most)});
  }
  return ranges;
}

void mean_pool(OpContext& context, const Panels& in, std::span<const RowRange> ranges,
               std::span<float> out) {
  const std::size_t width = in.width();
  context.pool.parallel_for(ranges.size(), [&](std::size_t index, std::size_t) {
    const RowRange range = ranges[index];
    std::vector<double> sums(width, 0.0);
    for (std::size_t row = range.first; row < range.last; ++row) {
      const float* values = in.row(row);
      for (std::size_t i = 0; i < width; ++i) sums[i] += static_cast<double>(values[i]);
    }
    const auto count = static_cast<double>(range.last - range.first);
    std::transform(sums.begin(), sums.end(),
                   out.begin() + static_cast<std::ptrdiff_t>(index * width),
                   [count](double sum) { return static_cast<float>(sum / count); });
  });
}

}  // namespace virnucpro
