#include <algorithm>

#include "ops/embedding.hpp"

namespace virnucpro {
namespace {

template <typename Token>
void gather(OpContext& context, const HostArray<float>& table, std::span<const Token> tokens,
            Panels& out) {
  const std::size_t width = out.width();
  context.pool.parallel_for(out.panels(), [&](std::size_t panel, std::size_t) {
    const RowRange range = panel_rows(panel, tokens.size());
    for (std::size_t i = range.first; i < range.last; ++i) {
      std::copy_n(table.data() + tokens[i] * width, width, out.row(i));
    }
  });
}

}  // namespace

Embedding::Embedding(const Weights& weights, const std::string& name, std::size_t rows,
                     std::size_t width, float scale)
    : width_(width), table_(read_tensor(weights, name, {rows, width})) {
  for (float& value : table_.span()) value *= scale;
}

void Embedding::add_to_rows(std::span<const float> vector) {
  const std::span<float> table = table_.span();
  for (std::size_t i = 0; i < table.size(); ++i) table[i] += vector[i % width_];
}

void Embedding::run(OpContext& context, std::span<const std::uint8_t> tokens, Panels& out) const {
  gather(context, table_, tokens, out);
}

void Embedding::run(OpContext& context, std::span<const std::uint16_t> tokens, Panels& out) const {
  gather(context, table_, tokens, out);
}

}  // namespace virnucpro
