#include "weights/stored_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.hpp"

namespace virnucpro {

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

}  // namespace virnucpro
