#include "base/bytes.hpp"

#include <fmt/format.h>

namespace virnucpro {

ByteWriter& ByteWriter::varint(std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) number(static_cast<std::uint8_t>(value | 0x80U));
  return number(static_cast<std::uint8_t>(value));
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto part = number<std::uint8_t>();
    // The tenth byte may contain only bit 63 of the number.
    if (shift == 63 && part > 1) break;
    value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
    if (part < 0x80U) return value;
  }
  fail("has a number of more than 64 bits");
}

std::size_t ByteReader::count(std::size_t item_size) {
  const std::uint64_t value = varint();
  if (value > left() / item_size) fail("names more items than its bytes can hold");
  return static_cast<std::size_t>(value);
}

void ByteReader::fail_cut(std::uint64_t size) const {
  fail(why_cut(size));
}

Error ByteReader::error(std::string why) const {
  return Error(kind_, Place{.file = file_, .offset = offset_}, std::move(why));
}

std::string ByteReader::why_cut(std::uint64_t size) const {
  return fmt::format("ends within a field of {} bytes", size);
}

}  // namespace virnucpro
