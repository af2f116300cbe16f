#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace virnucpro {

// Element types of tensors in files.
enum class DType : std::uint8_t { kF32, kF16, kBF16, kF64, kI64, kI32, kI16, kI8, kU8, kBool };

std::size_t size_of(DType type);
std::string_view name_of(DType type);  // "F32", as in safetensors

// These convert between float and the bits of 16-bit floats, without branches, so that compilers
// can vectorise loops.

// The multiplication corrects the exponent's bias. It is exact even for subnormal numbers.
inline float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const auto magnitude = std::bit_cast<float>((bits & 0x7fffU) << 13U) * 0x1p112F;
  const std::uint32_t special = (bits & 0x7c00U) == 0x7c00U ? 0x7f800000U : 0U;
  return std::bit_cast<float>(sign | special | std::bit_cast<std::uint32_t>(magnitude));
}

inline float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

// Rounds to nearest even; a NaN remains a NaN.
inline std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16U) & 1U);
  return static_cast<std::uint16_t>((is_nan ? bits | 0x400000U : rounded) >> 16U);
}

}  // namespace virnucpro
