// Two files of paired reads: the first, a NUL byte, the second. They are read as pairs whose ids
// match, or refused with a typed error that has a place.
#include <variant>

#include "base/cancel.hpp"
#include "fuzz/target.hpp"
#include "sequence/input_set.hpp"
#include "unit/memory_file.hpp"

namespace {

using virnucpro::MemoryFile;
using virnucpro::fuzz::require;

// A record's id without the mark of its mate.
std::string base_of(const virnucpro::InputRecord& input) {
  require(input.id.ends_with(input.record.number % 2 == 1 ? "/1" : "/2"));
  return input.id.substr(0, input.id.size() - 2);
}

void read_pairs(virnucpro::InputSet& inputs) {
  std::string base;
  std::uint64_t records = 0;
  while (const auto event = inputs.next()) {
    if (const auto* record = std::get_if<virnucpro::InputRecord>(&*event)) {
      require(record->record.number == ++records);
      if (records % 2 == 0) require(base_of(*record) == base);
      base = base_of(*record);
    } else if (const auto* failure = std::get_if<virnucpro::InputFailure>(&*event)) {
      require(!failure->error.place().file.empty());
    } else {
      require(records % 2 == 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\0'), size);
  const MemoryFile first(input.substr(0, end));
  const MemoryFile second(input.substr(std::min(end + 1, size)));
  const virnucpro::Cancel never;
  virnucpro::InputSet inputs({.paths = {first.path(), second.path()}, .paired = true}, never);
  read_pairs(inputs);
  return 0;
}
