// A safetensors file: as it is, and with the header's length corrected.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "fuzz/repair.hpp"
#include "weights/safetensors.hpp"

namespace {

// Any bytes are accepted, or refused with a typed error.
void parse(const std::string& bytes) {
  try {
    virnucpro::parse_safetensors(virnucpro::as_bytes(bytes), "fuzz");
  } catch (const virnucpro::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  parse(bytes);
  virnucpro::fuzz::repair_safetensors(bytes);
  parse(bytes);
  return 0;
}
