
#include "fuzz/target.hpp"
#include "weights/model_config.hpp"

using virnucpro::fuzz::may_refuse;

// Any text is accepted as a config.json and as a shard index, or refused with a typed error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  may_refuse([&] { virnucpro::parse_model_config(text, "fuzz"); });
  may_refuse([&] { virnucpro::parse_shard_index(text, "fuzz"); });
  return 0;
}
