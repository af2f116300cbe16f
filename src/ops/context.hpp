#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/cancel.hpp"
#include "base/thread_pool.hpp"

namespace virnucpro {

// The element type of the inputs of matrix products; all other steps are fp32. With kInt8, ESM-2's
// linears use 8 bits, except where an Int8Policy forbids it; other products use beside_esm2().
enum class Precision : std::uint8_t { kFp32, kFp16, kBf16, kInt8 };

struct PrecisionRow {
  std::string_view name;     // as in --precision
  unsigned fineness;         // larger for a finer precision
  std::size_t weight_bytes;  // bytes of a weight in matrix products
};

// All precisions, in the order of the enum.
inline constexpr std::array<PrecisionRow, 4> kPrecisionTable{{
    {.name = "fp32", .fineness = 3, .weight_bytes = 4},
    {.name = "fp16", .fineness = 2, .weight_bytes = 2},
    {.name = "bf16", .fineness = 1, .weight_bytes = 2},
    {.name = "int8", .fineness = 0, .weight_bytes = 1},
}};

constexpr const PrecisionRow& row_of(Precision precision) {
  return kPrecisionTable.at(static_cast<std::size_t>(precision));
}
constexpr std::string_view name_of(Precision precision) {
  return row_of(precision).name;
}
constexpr bool is_finer(Precision one, Precision other) {
  return row_of(one).fineness > row_of(other).fineness;
}
constexpr std::optional<Precision> precision_named(std::string_view name) {
  const auto* const row = std::ranges::find(kPrecisionTable, name, &PrecisionRow::name);
  if (row == kPrecisionTable.end()) return std::nullopt;
  return static_cast<Precision>(row - kPrecisionTable.begin());
}

// int8 is for ESM-2 alone. Returns the precision in which the other models compute beside ESM-2.
constexpr Precision beside_esm2(Precision precision, bool on_gpu) {
  if (precision != Precision::kInt8) return precision;
  return on_gpu ? Precision::kFp16 : Precision::kFp32;
}

// The arguments that all ops need besides their operands. One thread at a time may use a context.
struct OpContext {
  ThreadPool& pool;
  const Cancel& cancel;
  Precision precision = Precision::kFp32;
};

}  // namespace virnucpro
