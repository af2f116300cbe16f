#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace virnucpro {

struct CodePoint {
  std::uint32_t value = 0xfffd;
  std::size_t bytes = 1;
  bool is_valid = false;  // false: this is one byte that is not UTF-8
};

// Returns the first character of `text`, which must not be empty (Unicode 15, table 3-7).
CodePoint first_code_point(std::string_view text);

}  // namespace virnucpro
