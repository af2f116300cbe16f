#include "journal/row_bytes.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace virnucpro {

void RowWriter::varint(std::uint64_t value) {
  while (value >= 0x80U) {
    byte(static_cast<std::uint8_t>(value | 0x80U));
    value >>= 7U;
  }
  byte(static_cast<std::uint8_t>(value));
}

void RowWriter::fixed32(std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) byte(static_cast<std::uint8_t>(value >> shift));
}

void RowWriter::text(std::string_view value) {
  varint(value.size());
  bytes_ += value;
}

void RowReader::fail(std::string_view why) const {
  throw Error(ErrorKind::kJournalDamaged, Place{.file = file_}, fmt::format("{}: {}", what_, why));
}

std::span<const std::byte> RowReader::read(std::uint64_t size) {
  if (size > rest_.size()) fail("ends too early");
  const auto taken = rest_.first(static_cast<std::size_t>(size));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

std::uint8_t RowReader::byte() {
  return std::to_integer<std::uint8_t>(read(1).front());
}

std::uint64_t RowReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t part = byte();
    // The tenth byte holds only bit 63.
    if (shift == 63 && part > 1) fail("holds a number above 64 bits");
    value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
    if (part < 0x80U) return value;
  }
  fail("holds a number above 64 bits");
}

std::uint32_t RowReader::fixed32() {
  const auto bytes = read(4);
  std::uint32_t value = 0;
  for (unsigned k = 0; k < 4; ++k) value |= std::to_integer<std::uint32_t>(bytes[k]) << (8U * k);
  return value;
}

std::string RowReader::text() {
  const auto bytes = read(varint());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t RowReader::count(std::size_t item_size) {
  const std::uint64_t value = varint();
  if (value > rest_.size() / item_size) fail("announces more items than it has bytes for");
  return static_cast<std::size_t>(value);
}

}  // namespace virnucpro
