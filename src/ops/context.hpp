#pragma once

#include <cstdint>
#include <string_view>

#include "base/cancel.hpp"
#include "base/thread_pool.hpp"

namespace virnucpro {

// The element type of the inputs of matrix products; all other steps are fp32. With kInt8, ESM-2's
// linears use 8 bits unless an Int8Policy keeps them in 16; all other products use fp16.
enum class Precision : std::uint8_t { kFp32, kFp16, kBf16, kInt8 };
std::string_view name_of(Precision precision);  // "fp32"

// The arguments that all ops need besides their operands. One thread at a time may use a context.
struct OpContext {
  ThreadPool& pool;
  const Cancel& cancel;
  Precision precision = Precision::kFp32;
};

}  // namespace virnucpro
