#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "journal/unit_blob.hpp"

namespace {

using virnucpro::as_bytes;
using virnucpro::ErrorKind;

// Refused as damaged, or a unit that encodes to the same bytes.
void decode(const std::string& blob) {
  try {
    const virnucpro::Unit unit = virnucpro::decode_unit(as_bytes(blob), 0, 0, "run.db");
    const std::string again = virnucpro::encode_unit(unit);
    if (virnucpro::encode_unit(virnucpro::decode_unit(as_bytes(again), 0, 0, "run.db")) != again) {
      __builtin_trap();
    }
  } catch (const virnucpro::Error& error) {
    if (error.kind() != ErrorKind::kJournalDamaged) __builtin_trap();
  }
}

}  // namespace

// A row of the journal: as it is, and with a correct checksum, to reach the code after that check.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  decode(bytes);
  decode(virnucpro::seal_unit(bytes));
  return 0;
}
