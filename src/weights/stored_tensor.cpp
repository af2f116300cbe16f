#include "weights/stored_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstring>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

std::uint16_t load16(const std::byte* from) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

}  // namespace

std::optional<std::uint64_t> element_count(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) {
    const auto product = checked_mul(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

std::string shape_text(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::optional<DType> dtype_named(std::string_view safetensors_name) {
  for (auto type = DType::kF32; type <= DType::kBool;
       type = static_cast<DType>(static_cast<int>(type) + 1)) {
    if (name_of(type) == safetensors_name) return type;
  }
  return std::nullopt;
}

bool is_weight_type(DType type) {
  return type == DType::kF32 || type == DType::kF16 || type == DType::kBF16;
}

void convert_to_f32(DType type, std::span<const std::byte> from, std::span<float> out) {
  if (!is_weight_type(type) || from.size() != out.size() * size_of(type)) {
    throw Error(ErrorKind::kInternal,
                "convert_to_f32 was given a wrong type or a wrong number of bytes");
  }
  if (out.empty()) return;
  if (type == DType::kF32) {
    std::memcpy(out.data(), from.data(), from.size());
  } else if (type == DType::kF16) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f16_to_f32(load16(from.data() + 2 * i));
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = bf16_to_f32(load16(from.data() + 2 * i));
  }
}

}  // namespace virnucpro
