
#include "engine/wire.hpp"
#include "fuzz/target.hpp"
#include "unit/engine/worker_samples.hpp"

namespace {

using virnucpro::fuzz::may_refuse;
using virnucpro::fuzz::require;

// Refused, or messages that encode to the same bytes.
void decode(const std::string& bytes) {
  const auto read_twice = [&] {
    virnucpro::WireReader reader(virnucpro::no_limits());
    reader.add(bytes);
    while (const auto message = reader.next_message()) {
      const std::string again = virnucpro::encode_message(*message);
      virnucpro::WireReader second(virnucpro::no_limits());
      second.add(again);
      const auto back = second.next_message();
      require(back && virnucpro::encode_message(*back) == again);
    }
  };
  may_refuse(read_twice, {virnucpro::ErrorKind::kInternal});
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
