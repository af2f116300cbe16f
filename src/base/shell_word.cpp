#include "base/shell_word.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace virnucpro {
namespace {

bool is_plain(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return (code < 0x80U && std::isalnum(code) != 0) ||
           std::string_view("-_./:=,+@%").find(letter) != std::string_view::npos;
  });
}

}  // namespace

std::string shell_word(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  quoted += '\'';
  return quoted;
}

}  // namespace virnucpro
