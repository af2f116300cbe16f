#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace virnucpro {

// One sequence of an input.
struct SequenceRecord {
  std::string header;        // the whole header line, without its '>' or '@' and its line end
  std::string letters;       // in the input's case, without white space
  std::uint64_t number = 0;  // 1-based, within its input
};

// The header's first word (semantics: Python's str.split() on UTF-8; bytes that are not UTF-8 are
// kept). Empty for an empty header.
std::string_view sequence_id(std::string_view header);

}  // namespace virnucpro
