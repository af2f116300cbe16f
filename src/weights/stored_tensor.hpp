#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/steady_file.hpp"
#include "weights/dtype.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// A part of a file that may only be used after its CRC-32 was checked.
struct CheckedRecord {
  Extent extent;
  std::uint32_t crc32 = 0;
};

// A tensor as stored in a file, little-endian.
struct StoredTensor {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  Shape strides;                        // in elements; empty: contiguous and row-major
  Extent extent;                        // from its first element to its last, all inside the file
  std::optional<CheckedRecord> record;  // the ZIP record that contains the extent, if any
};

// Returns the number of elements; empty if the number exceeds 64 bits.
std::optional<std::uint64_t> element_count(const Shape& shape);
std::string shape_text(const Shape& shape);  // "[512, 3328]"
std::optional<DType> dtype_named(std::string_view safetensors_name);

// True for the types that weights can have: fp32, fp16 and bf16.
bool is_weight_type(DType type);
// Converts little-endian values of a weight type to fp32, exactly. from.size() must be out.size() ·
// size_of(type). `from` need not be aligned.
void convert_to_f32(DType type, std::span<const std::byte> from, std::span<float> out);

}  // namespace virnucpro
