#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace virnucpro {

// Reads little-endian values from a file's bytes, never outside of them. Errors name the file and
// the offset; if the bytes run out, the error is of the given kind.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string file, ErrorKind when_short)
      : bytes_(bytes), file_(std::move(file)), when_short_(when_short) {}

  std::uint64_t offset() const { return offset_; }
  std::uint64_t size() const { return bytes_.size(); }
  const std::string& file() const { return file_; }

  void seek(std::uint64_t offset) {
    if (offset > bytes_.size()) fail(when_short_, "an offset lies behind the end");
    offset_ = offset;
  }

  std::span<const std::byte> read(std::uint64_t count) {
    if (!range_within<std::uint64_t>(offset_, count, bytes_.size())) {
      fail(when_short_, "ends within a field of " + std::to_string(count) + " bytes");
    }
    const auto part = bytes_.subspan(offset_, count);
    offset_ += count;
    return part;
  }

  std::string_view text(std::uint64_t count) {
    const auto part = read(count);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

  template <std::unsigned_integral T>
  T read() {
    T value = 0;
    const auto part = read(sizeof(T));
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(part[i]) << (8U * i)));
    }
    return value;
  }

  [[noreturn]] void fail(ErrorKind kind, std::string detail) const {
    throw Error(kind, Place{.file = file_, .offset = offset_}, std::move(detail));
  }

 private:
  std::span<const std::byte> bytes_;
  std::string file_;
  ErrorKind when_short_;
  std::uint64_t offset_ = 0;
};

}  // namespace virnucpro
