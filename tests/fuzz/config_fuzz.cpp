// A configuration file of any bytes is accepted or refused with a typed error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    virnucpro::Config::parse(text, "fuzz.yaml");
  } catch (const virnucpro::Error&) {
    // It may be refused.
  }
  return 0;
}
