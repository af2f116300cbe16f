#include "ops/context.hpp"

namespace virnucpro {

std::string_view name_of(Precision precision) {
  return precision == Precision::kFp32 ? "fp32" : "bf16";
}

}  // namespace virnucpro
