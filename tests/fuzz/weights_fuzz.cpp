// A model file from its bytes to the hash of its values, with corrected checksums and lengths.

#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"
#include "unit/memory_file.hpp"
#include "weights/inspect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("PK")) {
    virnucpro::fuzz::repair_zip(bytes);
  } else {
    virnucpro::fuzz::repair_safetensors(bytes);
  }
  const virnucpro::MemoryFile file(bytes);
  try {
    virnucpro::inspect_model(file.path(), true);
  } catch (const virnucpro::Error& error) {
    if (error.info().exit_code != 1) std::abort();  // so nothing too large was allocated
  }
  return 0;
}
