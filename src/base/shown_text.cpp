#include "base/shown_text.hpp"

#include <cstdint>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

std::size_t announced_length(unsigned first) {
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first < 0xE0U) return 2;
  if (first >= 0xE0U && first < 0xF0U) return 3;
  if (first >= 0xF0U && first < 0xF5U) return 4;
  return 0;
}

// Whether a sequence of three or four bytes encodes a letter: shortest form, no surrogate, within
// Unicode, and not one of the two code points that XML forbids.
bool is_letter(std::uint32_t code, std::size_t length) {
  if (length == 3) {
    const bool surrogate = code >= 0xD800U && code < 0xE000U;
    return code >= 0x800U && !surrogate && code < 0xFFFEU;
  }
  return length < 3 || (code >= 0x10000U && code < 0x110000U);
}

// The bytes of the letter at the start of `text`; 0 when there is none.
std::size_t letter_length(std::string_view text) {
  const std::size_t length = announced_length(byte_at(text, 0));
  if (length == 0 || length > text.size()) return 0;
  if (length == 1) return 1;
  std::uint32_t code = byte_at(text, 0) & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, k) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte_at(text, k) & 0x3FU);
  }
  return is_letter(code, length) ? length : 0;
}

}  // namespace

std::string shown_text(std::string_view text, std::size_t most) {
  std::string result;
  while (!text.empty() && result.size() < most) {
    const std::size_t length = letter_length(text);
    result += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  if (!text.empty()) result += kEllipsis;
  return printable(result);
}

}  // namespace virnucpro
