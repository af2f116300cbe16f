#include "base/file_name.hpp"

#include <algorithm>
#include <cstddef>

namespace virnucpro {

bool is_file_name(std::string_view text) {
  constexpr std::size_t kLongest = 255;  // the limit of all file systems of Linux
  if (text.empty() || text.size() > kLongest || text == "." || text == "..") return false;
  return std::ranges::none_of(text, [](char letter) {
    return letter == '/' || static_cast<unsigned char>(letter) < 0x20U || letter == 0x7f;
  });
}

}  // namespace virnucpro
