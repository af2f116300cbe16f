#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "weights/model_config.hpp"

// Any text is accepted as a config.json and as a shard index, or refused with a typed error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    virnucpro::parse_model_config(text, "fuzz");
  } catch (const virnucpro::Error&) {
  }
  try {
    virnucpro::parse_shard_index(text, "fuzz");
  } catch (const virnucpro::Error&) {
  }
  return 0;
}
