#include <algorithm>
#include <vector>

#include "ops/mean_pool.hpp"

namespace virnucpro {

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
