#include <span>

#include "base/hash.hpp"
#include "fuzz/target.hpp"
#include "journal/unit_blob.hpp"

namespace {

using virnucpro::as_bytes;
using virnucpro::fuzz::may_refuse;
using virnucpro::fuzz::require;

// Refused as damaged, or a unit that encodes to the same bytes.
void decode(const std::string& blob) {
  const auto decoded_again = [](const std::string& bytes) {
    return virnucpro::encode_unit(virnucpro::decode_unit(as_bytes(bytes), 0, 0, "run.db"));
  };
  const auto decode_twice = [&] {
    const std::string again = decoded_again(blob);
    require(decoded_again(again) == again);
  };
  may_refuse(decode_twice, {virnucpro::ErrorKind::kJournalDamaged});
}

}  // namespace

// A row of the journal: as it is, and with a correct checksum, to reach the code after that check.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  decode(bytes);
  decode(virnucpro::seal_unit(bytes));
  return 0;
}
