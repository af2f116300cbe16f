#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "weights/tensor_archive.hpp"

// Any bytes are read, or refused with a typed error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    virnucpro::parse_torch_zip(bytes, "fuzz");
  } catch (const virnucpro::Error&) {
  }
  return 0;
}
