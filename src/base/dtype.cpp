#include "base/dtype.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace virnucpro {
namespace {

struct DTypeRow {
  DType type;
  std::size_t size;
  std::string_view name;
};

constexpr std::array kTypes{
    DTypeRow{DType::kF32, 4, "F32"},   DTypeRow{DType::kF16, 2, "F16"},
    DTypeRow{DType::kBF16, 2, "BF16"}, DTypeRow{DType::kF64, 8, "F64"},
    DTypeRow{DType::kI64, 8, "I64"},   DTypeRow{DType::kI32, 4, "I32"},
    DTypeRow{DType::kI16, 2, "I16"},   DTypeRow{DType::kI8, 1, "I8"},
    DTypeRow{DType::kU8, 1, "U8"},     DTypeRow{DType::kBool, 1, "BOOL"},
};

}  // namespace

std::size_t size_of(DType type) {
  return kTypes.at(static_cast<std::size_t>(type)).size;
}

std::string_view name_of(DType type) {
  return kTypes.at(static_cast<std::size_t>(type)).name;
}

float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffU : exponent + 112U;
  return std::bit_cast<float>(sign | (wide << 23U) | (mantissa << 13U));
}

std::uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00U);
  if (magnitude < 0x1p-14F) {  // subnormal: the default rounding mode rounds to nearest even
    const auto steps = static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24F));
    return static_cast<std::uint16_t>(sign | steps);
  }
  const std::uint32_t rebiased = (bits & 0x7fffffffU) - (112U << 23U);
  const std::uint32_t odd = (rebiased >> 13U) & 1U;
  return static_cast<std::uint16_t>(sign | ((rebiased + 0xfffU + odd) >> 13U));
}

float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  const std::uint32_t odd = (bits >> 16U) & 1U;
  return static_cast<std::uint16_t>((bits + 0x7fffU + odd) >> 16U);
}

}  // namespace virnucpro
