#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "weights/safetensors.hpp"

// Any bytes are read, or refused with a typed error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    virnucpro::parse_safetensors(bytes, "fuzz");
  } catch (const virnucpro::Error&) {
  }
  return 0;
}
