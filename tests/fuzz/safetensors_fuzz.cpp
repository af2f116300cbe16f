// A safetensors file: as it is, and with the header's length corrected.

#include "base/steady_file.hpp"
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"
#include "unit/memory_file.hpp"
#include "weights/safetensors.hpp"

namespace {

using virnucpro::fuzz::may_refuse;

// Any bytes are accepted, or refused with a typed error.
void parse(const std::string& bytes) {
  const virnucpro::MemoryFile memory(bytes);
  may_refuse([&] { virnucpro::parse_safetensors(virnucpro::SteadyFile(memory.path())); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  parse(bytes);
  virnucpro::fuzz::repair_safetensors(bytes);
  parse(bytes);
  return 0;
}
