#pragma once

#include <cstdint>
#include <string_view>

#include "base/cancel.hpp"
#include "base/thread_pool.hpp"

namespace virnucpro {

// The element type of matrix products' inputs; all else is computed in fp32. kInt8 means 8 bits for
// ESM-2's linears, except those that an Int8Policy keeps, and fp16 for all other products.
enum class Precision : std::uint8_t { kFp32, kFp16, kBf16, kInt8 };
std::string_view name_of(Precision precision);  // "fp32"

// Everything that an op needs besides its operands. Only one thread at a time may use a context.
struct OpContext {
  ThreadPool& pool;
  const Cancel& cancel;
  Precision precision = Precision::kFp32;
};

}  // namespace virnucpro
