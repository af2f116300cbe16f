#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Products of 8-bit integers on the CPU. Their 32-bit sums are exact, so every instruction set
// gives the same bits.

// A product computes this many outputs of at most this many rows at a time.
inline constexpr std::size_t kProductOutputs = 32;
inline constexpr std::size_t kProductRows = 192;
// Products may read this many rows of inputs together, and 64 bytes after the end of a row. What
// they read there is multiplied by 0 or not stored.
inline constexpr std::size_t kRowsAtOnce = 32;
inline constexpr std::size_t kTileOutputs = 16;
inline constexpr std::size_t kTileInputs = 64;
inline constexpr std::size_t kTileLines = 16;
inline constexpr std::size_t kTileLineBytes = 64;
inline constexpr std::size_t kTileBytes = kTileLines * kTileLineBytes;

// The weights of a linear layer, [outputs, inputs], in tiles of 16 outputs × 64 inputs. A tile has
// 16 lines of 64 bytes, as in a tile of AMX; line i has inputs 4i … 4i + 3 of each output. Missing
// outputs and inputs are 0. The tiles of 16 outputs follow one another.
class Int8Weights {
 public:
  Int8Weights(std::size_t outputs, std::size_t inputs);

  std::size_t outputs() const { return outputs_; }
  std::size_t inputs() const { return inputs_; }
  // Returns the number of tiles of 16 outputs.
  std::size_t tiles() const { return (inputs_ + kTileInputs - 1) / kTileInputs; }
  std::int8_t at(std::size_t output, std::size_t input) const {
    return tiles_.data()[place(output, input)];
  }
  void set(std::size_t output, std::span<const std::int8_t> weights);

  // Returns the tiles of kProductOutputs outputs from `output` on, a multiple of kProductOutputs.
  const std::int8_t* tiles_of(std::size_t output) const { return tiles_.data() + place(output, 0); }
  // Returns −128 times the sum of each output's weights, from `output` on.
  const std::int32_t* offsets_of(std::size_t output) const { return offsets_.data() + output; }

 private:
  std::size_t place(std::size_t output, std::size_t input) const {
    return (output / kTileOutputs * tiles() + input / kTileInputs) * kTileBytes +
           input % kTileInputs / 4 * kTileLineBytes + output % kTileOutputs * 4 + input % 4;
  }

  std::size_t outputs_;
  std::size_t inputs_;
  HostArray<std::int8_t> tiles_;
  HostArray<std::int32_t> offsets_;
};

struct Int8Problem {
  const std::int8_t* x = nullptr;  // [rows, stride]
  std::size_t stride = 0;
  std::size_t rows = 0;                   // at most kProductRows
  const std::int8_t* weights = nullptr;   // tiles of kProductOutputs outputs
  const std::int32_t* offsets = nullptr;  // Int8Weights::offsets_of()
  std::size_t tiles = 0;                  // Int8Weights::tiles()
  std::int32_t* sums = nullptr;  // [rows, kProductOutputs]; rows to a multiple of kRowsAtOnce
};

// Returns the bits of four inputs.
inline std::int32_t four_inputs_at(const std::int8_t* at) {
  std::int32_t four = 0;
  std::memcpy(&four, at, sizeof four);
  return four;
}

// A way to compute products. `run` may only be called if `usable` returns true.
struct Int8Product {
  std::string_view name;
  bool (*usable)();
  void (*run)(const Int8Problem& problem);
};

extern const Int8Product kAmxProduct;
extern const Int8Product kVnniProduct;
extern const Int8Product kAvx2Product;  // always usable

// All ways, the fastest first.
std::span<const Int8Product* const> int8_products();
// Returns the first that is usable. ONEDNN_MAX_CPU_ISA excludes instruction sets here, too.
const Int8Product& fastest_int8_product();

}  // namespace virnucpro
