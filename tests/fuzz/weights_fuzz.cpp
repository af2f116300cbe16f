// A model file from its bytes to the hash of its values, with corrected checksums and lengths.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "fuzz/repair.hpp"
#include "weights/inspect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("PK")) {
    virnucpro::fuzz::repair_zip(bytes);
  } else {
    virnucpro::fuzz::repair_safetensors(bytes);
  }
  const virnucpro::UniqueFd file(::memfd_create("weights", MFD_CLOEXEC));
  if (file.get() < 0 || virnucpro::write_all(file.get(), bytes) != 0) std::abort();
  try {
    virnucpro::inspect_model("/proc/self/fd/" + std::to_string(file.get()), true);
  } catch (const virnucpro::Error& error) {
    if (error.info().exit_code != 1) std::abort();  // so nothing too large was allocated
  }
  return 0;
}
