#include "ops/context.hpp"

namespace virnucpro {

std::string_view name_of(Precision precision) {
  constexpr std::string_view kNames[] = {"fp32", "fp16", "bf16", "int8"};
  return kNames[static_cast<std::size_t>(precision)];
}

}  // namespace virnucpro
