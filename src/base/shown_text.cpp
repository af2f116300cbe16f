#include "base/shown_text.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace virnucpro {

std::string shown_text(std::string_view text, std::size_t most) {
  constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
  std::string result;
  while (!text.empty() && result.size() < most) {
    const std::size_t bytes = first_code_point(text).bytes;
    result += printable(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  if (!text.empty()) result += kEllipsis;
  return result;
}

}  // namespace virnucpro
