#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace virnucpro {

// Builds the binary form of journal rows: little-endian, whole numbers as LEB128.
class RowWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void varint(std::uint64_t value);
  void fixed32(std::uint32_t value);
  void text(std::string_view value);  // its length, then its bytes

  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

// Reads the form that RowWriter builds. Checks every size against the bytes left before it
// allocates. Errors: kJournalDamaged, naming `file` and `what` ("unit 12").
class RowReader {
 public:
  RowReader(std::span<const std::byte> bytes, std::string file, std::string what)
      : rest_(bytes), file_(std::move(file)), what_(std::move(what)) {}

  std::uint8_t byte();
  std::uint64_t varint();
  std::uint32_t fixed32();
  std::string text();
  // A number of items; each takes at least `item_size` bytes.
  std::size_t count(std::size_t item_size);

  bool at_end() const { return rest_.empty(); }
  [[noreturn]] void fail(std::string_view why) const;

 private:
  std::span<const std::byte> read(std::uint64_t size);

  std::span<const std::byte> rest_;
  std::string file_;
  std::string what_;
};

}  // namespace virnucpro
