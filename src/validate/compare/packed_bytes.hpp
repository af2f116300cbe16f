#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace virnucpro {

// Numbers and texts as bytes that do not leave this machine: rows that are sorted on disk, answers
// of a process of ours.
class PackedWriter {
 public:
  PackedWriter& number(std::uint64_t value);
  PackedWriter& text(std::string_view value);  // its length, then its bytes

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads them back. Errors: kInternal, "`what` is cut", where there are fewer than are asked for.
class PackedReader {
 public:
  PackedReader(std::string_view bytes, const char* what) : rest_(bytes), what_(what) {}

  std::uint64_t number();
  std::string text();
  std::string_view read(std::uint64_t size);

 private:
  std::string_view rest_;
  const char* const what_;
};

}  // namespace virnucpro
