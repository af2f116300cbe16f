#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace virnucpro {

// This header reads and writes binary formats. All their numbers are little-endian.
static_assert(std::endian::native == std::endian::little,
              "numbers are copied from memory, so the host must be little-endian");

// The types of numbers. bool is excluded: a byte other than 0 or 1 is not a valid bool.
template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
// A number, or a struct or array of numbers.
template <typename T>
concept PlainValue = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <PlainValue T>
std::string_view bytes_of(const T& value) {
  return as_text(std::as_bytes(std::span(&value, 1)));
}

// Returns the value at byte `offset`. Errors: kInternal if the caller did not check the size first.
template <PlainValue T>
T value_at(std::string_view bytes, std::size_t offset = 0) {
  if (!range_within(offset, sizeof(T), bytes.size())) {
    throw Error(ErrorKind::kInternal, "a value lies beyond the end of its bytes");
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Appends values to a string of bytes.
class ByteWriter {
 public:
  template <Number T>
  ByteWriter& number(T value) {
    return raw(bytes_of(value));
  }
  ByteWriter& varint(std::uint64_t value);  // as LEB128
  ByteWriter& raw(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  // Appends the text's length as a varint, then its bytes.
  ByteWriter& text(std::string_view value) { return varint(value.size()).raw(value); }

  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

// Reads values from a file's bytes, which may be wrong or hostile. No read goes beyond the bytes,
// and every size is checked before memory is allocated. Errors have the kind `kind`, and name the
// file and the byte offset. Derived classes may override error() and why_cut().
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string file, ErrorKind kind)
      : bytes_(bytes), file_(std::move(file)), kind_(kind) {}
  virtual ~ByteReader() = default;

  std::uint64_t offset() const { return offset_; }
  std::uint64_t size() const { return bytes_.size(); }
  std::uint64_t left() const { return bytes_.size() - offset_; }

  void seek(std::uint64_t offset) {
    if (offset > bytes_.size()) fail("has an offset beyond its end");
    offset_ = offset;
  }

  std::span<const std::byte> read(std::uint64_t size) {
    if (size > left()) fail_cut(size);
    const auto part = bytes_.subspan(offset_, size);
    offset_ += size;
    return part;
  }
  template <Number T>
  T number() {
    return value_at<T>(as_text(read(sizeof(T))));
  }
  std::uint64_t varint();
  std::string_view text(std::uint64_t size) { return as_text(read(size)); }
  std::string_view text() { return text(varint()); }
  // Reads how many items follow (a varint). Fails if fewer than `item_size` bytes are left for
  // each.
  std::size_t count(std::size_t item_size);

  [[noreturn]] void fail(std::string why) const { throw error(std::move(why)); }
  [[noreturn]] void fail(ErrorKind kind, std::string why) const {
    throw Error(kind, Place{.file = file_, .offset = offset_}, std::move(why));
  }

 protected:
  const std::string& file() const { return file_; }
  virtual Error error(std::string why) const;
  virtual std::string why_cut(std::uint64_t size) const;  // why a read of `size` bytes fails

 private:
  [[noreturn]] void fail_cut(std::uint64_t size) const;  // not inline, so that read() stays small

  std::span<const std::byte> bytes_;
  std::string file_;
  ErrorKind kind_;
  std::uint64_t offset_ = 0;
};

}  // namespace virnucpro
