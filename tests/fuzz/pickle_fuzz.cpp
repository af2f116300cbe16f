#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "weights/pickle_reader.hpp"

// Any bytes are accepted, or refused with a typed error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    virnucpro::read_pickle(bytes, "fuzz");
  } catch (const virnucpro::Error&) {
  }
  return 0;
}
