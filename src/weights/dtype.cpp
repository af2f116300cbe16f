#include "weights/dtype.hpp"

#include <array>

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

}  // namespace virnucpro
