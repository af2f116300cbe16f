#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "engine/wire.hpp"

namespace {

// Refused, or messages that their own encoding gives back.
void decode(const std::string& bytes) {
  try {
    virnucpro::WireReader reader;
    reader.add(bytes);
    while (const auto message = reader.next_message()) {
      const std::string again = virnucpro::encode_message(*message);
      virnucpro::WireReader second;
      second.add(again);
      const auto back = second.next_message();
      if (!back || virnucpro::encode_message(*back) != again) __builtin_trap();
    }
  } catch (const virnucpro::Error& error) {
    if (error.kind() != virnucpro::ErrorKind::kInternal) __builtin_trap();
  }
}

}  // namespace

// What a worker process sends: as it is, and with a length and a checksum that fit, so that what
// lies behind them is reached too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  decode(bytes);
  decode(virnucpro::sealed_frame(bytes));
  return 0;
}
