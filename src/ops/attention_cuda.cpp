#include "ops/attention_cuda.hpp"

#include <algorithm>

namespace virnucpro::cuda {

std::vector<AttentionItem> attention_items(std::span<const std::uint32_t> offsets) {
  std::vector<AttentionItem> items;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::uint32_t length = offsets[i + 1] - offsets[i];
    const std::uint32_t step = length <= kWholeRows ? kWholeRows : kCutRows;
    for (std::uint32_t first = 0; first < length; first += step) {
      items.push_back({.begin = offsets[i],
                       .length = length,
                       .first = first,
                       .last = std::min(first + step, length)});
    }
  }
  return items;
}

}  // namespace virnucpro::cuda
