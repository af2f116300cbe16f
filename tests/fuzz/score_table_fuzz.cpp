// A table of scores: every row is read, or refused with a typed error that has a place.
#include <optional>

#include "base/text.hpp"
#include "fuzz/target.hpp"
#include "measure/compare/score_table.hpp"
#include "unit/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const virnucpro::MemoryFile file(bytes);
  try {
    virnucpro::ScoreTable table(file.path());
    const std::size_t columns = table.layout().columns.size();
    std::uint64_t rows = 0;
    while (const std::optional<virnucpro::IdRow> row = table.next()) {
      if (row->number != ++rows) std::abort();
      if (virnucpro::split_list(row->content, '\t').size() != columns) std::abort();
    }
  } catch (const virnucpro::Error& error) {
    if (error.place().file.empty()) std::abort();
  }
  return 0;
}
