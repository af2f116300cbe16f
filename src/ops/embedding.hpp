#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "ops/read_tensor.hpp"

namespace virnucpro {

// Looks up rows: out[i] = table[tokens[i]]. The table is `scale` times the tensor, which is [rows,
// width]. The caller must check that all tokens are below `rows`.
class Embedding {
 public:
  Embedding(const Weights& weights, const std::string& name, std::size_t rows, std::size_t width,
            float scale);

  // Adds `vector`, [width], to every row of the table.
  void add_to_rows(std::span<const float> vector);

  std::size_t rows() const { return table_.size() / width_; }
  void run(OpContext& context, std::span<const std::uint8_t> tokens, Panels& out) const;
  void run(OpContext& context, std::span<const std::uint16_t> tokens, Panels& out) const;

 private:
  std::size_t width_;
  HostArray<float> table_;
};

}  // namespace virnucpro
