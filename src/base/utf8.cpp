#include "base/utf8.hpp"

namespace virnucpro {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return {.value = lead, .bytes = 1, .is_valid = true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte_at(text, i);
    if ((next & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (next & 0x3fU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (overlong || surrogate || value > 0x10ffff) return {};
  return {.value = value, .bytes = bytes, .is_valid = true};
}

}  // namespace virnucpro
