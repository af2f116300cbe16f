#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace virnucpro {

// Element types of tensors in files and on devices.
enum class DType : std::uint8_t { kF32, kF16, kBF16, kF64, kI64, kI32, kI16, kI8, kU8, kBool };

std::size_t size_of(DType type);
std::string_view name_of(DType type);  // "F32", as safetensors spells it

// Conversions between the bits of 16-bit floats and float; to_* round to nearest even.
float f16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_f16(float value);
float bf16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_bf16(float value);

}  // namespace virnucpro
