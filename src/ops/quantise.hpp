#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/context.hpp"
#include "ops/int8_policy.hpp"
#include "ops/panels.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Numbers in 8 bits: number = code · the row's scale, |code| ≤ 127. A row of activations is a
// token; a row of weights is an output. The scale is the row's largest |number| / 127, so no number
// is clipped. A row with NaN or infinity has scale NaN, so that the results show the fault. A row
// of zeros, or of numbers so small that 127 / the largest |number| is infinite, has scale 0. All
// codes of a row with scale NaN or 0 are 0. Each step is one fp32 operation, so that a GPU computes
// the same bits. On an H200 with trained weights, int8 was faster and far more exact than e4m3 or
// static scales, which clip outliers. After the last row there is memory that products may read.
class Codes {
 public:
  Codes(Purpose purpose, std::size_t rows, std::size_t width);

  std::size_t rows() const { return scales_.size(); }
  std::size_t width() const { return width_; }
  std::span<std::int8_t> row(std::size_t index) const {
    return codes_.span().subspan(index * width_, width_);
  }
  std::span<float> scales() const { return scales_.span(); }

 private:
  std::size_t width_;
  HostArray<std::int8_t> codes_;
  HostArray<float> scales_;
};

// kRotated rotates blocks of 8 columns before they are quantised; the width must be a multiple of
// 8. This makes a row's largest number smaller if the other numbers in its block are small.
enum class Blocks : bool { kPlain, kRotated };

// Returns kRotated for fc2. The inputs of fc2 (GELU's outputs) differ much within a row but little
// within a column, so mixing neighbours makes a row's largest number smaller.
constexpr Blocks blocks_for(Esm2Linear linear) {
  return linear == Esm2Linear::kFc2 ? Blocks::kRotated : Blocks::kPlain;
}

// Applies the Hadamard transform to each 8 numbers: sums and differences at distances 1, 2 and 4,
// then a multiplication by the fp32 number nearest to √(1/8).
void rotate_blocks(std::span<float> numbers);

// Computes code = number · (127 / largest |number|), rounded to nearest even. Returns the scale.
float quantise_row(std::span<const float> numbers, std::span<std::int8_t> codes);
// Computes `rest`, the second 8 bits of quantised numbers: number − scale · code (rounded once), in
// units of scale / 254.
void quantise_rest(std::span<const float> numbers, float scale, std::span<const std::int8_t> codes,
                   std::span<std::int8_t> rest);

// Quantises the rows of `in`. `in` and `out` must have the same shape.
void quantise_rows(OpContext& context, const Panels& in, Blocks blocks, Codes& out);

}  // namespace virnucpro
