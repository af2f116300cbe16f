#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace virnucpro {

struct CodePoint {
  std::uint32_t value = 0xfffd;
  std::size_t bytes = 1;
  bool is_valid = false;  // if not, it stands for one byte that is not UTF-8
};

// The first character of `text`, which is not empty (Unicode 15, table 3-7).
CodePoint first_code_point(std::string_view text);

}  // namespace virnucpro
