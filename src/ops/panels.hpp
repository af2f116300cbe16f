#pragma once

#include <cstddef>
#include <span>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Every matrix product has this many rows, so that a row's bits do not depend on the batch's size.
// oneDNN on AVX2 selects kernels by rows modulo 6; 192 is a multiple of every kernel's tile height.
inline constexpr std::size_t kPanelRows = 192;

// A row-major matrix of activations, one row per token, padded to whole panels. Padding rows start
// as zeros; products overwrite them, and no code uses them.
class Panels {
 public:
  Panels(std::size_t rows, std::size_t width);

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  std::size_t panels() const { return (rows_ + kPanelRows - 1) / kPanelRows; }
  float* row(std::size_t index) { return values_.data() + index * width_; }
  const float* row(std::size_t index) const { return values_.data() + index * width_; }
  std::span<float> values() { return {row(0), rows_ * width_}; }
  std::span<const float> values() const { return {row(0), rows_ * width_}; }

 private:
  std::size_t rows_;
  std::size_t width_;
  HostArray<float> values_;
};

struct RowRange {  // rows [first, last)
  std::size_t first;
  std::size_t last;
};
// Returns the rows of one panel that are not padding.
RowRange panel_rows(std::size_t panel, std::size_t rows);

}  // namespace virnucpro
