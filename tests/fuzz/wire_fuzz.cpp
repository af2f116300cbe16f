#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "engine/wire.hpp"
#include "unit/engine/worker_samples.hpp"

namespace {

// Refused, or messages that encode to the same bytes.
void decode(const std::string& bytes) {
  try {
    virnucpro::WireReader reader(virnucpro::no_limits());
    reader.add(bytes);
    while (const auto message = reader.next_message()) {
      const std::string again = virnucpro::encode_message(*message);
      virnucpro::WireReader second(virnucpro::no_limits());
      second.add(again);
      const auto back = second.next_message();
      if (!back || virnucpro::encode_message(*back) != again) __builtin_trap();
    }
  } catch (const virnucpro::Error& error) {
    if (error.kind() != virnucpro::ErrorKind::kInternal) __builtin_trap();
  }
}

}  // namespace

// Bytes from a worker process: as they are, and with a correct length and checksums, to reach the
// code after those checks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  decode(bytes);
  decode(virnucpro::sealed_frame(bytes));
  return 0;
}
