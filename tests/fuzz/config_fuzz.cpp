// A configuration file of any bytes is accepted or refused with a typed error.

#include "base/config.hpp"
#include "fuzz/target.hpp"

using virnucpro::fuzz::may_refuse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  may_refuse([&] { virnucpro::Config::parse(text, "fuzz.yaml"); });
  return 0;
}
