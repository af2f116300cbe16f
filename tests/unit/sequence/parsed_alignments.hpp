#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sequence/alignment.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {

// All output of a reader: its records as "NUMBER NAME=LETTERS", and how it ended.
struct Parsed {
  std::vector<std::string> rows;
  SkippedAlignments skipped;
  std::optional<Error> error;
  std::string hash;
  std::uint64_t bytes = 0;
};

inline Parsed parse_all(AlignmentReader& reader) {
  Parsed parsed;
  parsed.error = caught([&] {
    while (const auto record = reader.next()) {
      parsed.rows.push_back(std::to_string(record->number) + " " + record->header + "=" +
                            record->letters);
    }
  });
  parsed.skipped = reader.skipped();
  parsed.hash = reader.hash();
  parsed.bytes = reader.bytes();
  return parsed;
}

}  // namespace virnucpro
