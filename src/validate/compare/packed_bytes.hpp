#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace virnucpro {

// Numbers and texts as bytes that stay on this machine: rows to sort on disk, answers of our own
// processes.
class PackedWriter {
 public:
  PackedWriter& number(std::uint64_t value);
  PackedWriter& text(std::string_view value);  // its length, then its bytes

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads them back. Errors: kInternal, "`what` is cut", when bytes are missing.
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
