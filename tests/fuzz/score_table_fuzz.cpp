// A table of scores: every row is read, or refused with a typed error that has a place.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "validate/compare/score_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const virnucpro::UniqueFd file(::memfd_create("table", MFD_CLOEXEC));
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (file.get() < 0 || virnucpro::write_all(file.get(), bytes) != 0) std::abort();
  try {
    virnucpro::ScoreTable table("/proc/self/fd/" + std::to_string(file.get()));
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
