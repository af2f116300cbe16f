#include "validate/compare/packed_bytes.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/error.hpp"

namespace virnucpro {

PackedWriter& PackedWriter::number(std::uint64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  return *this;
}

PackedWriter& PackedWriter::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
  return *this;
}

std::uint64_t PackedReader::number() {
  std::uint64_t value = 0;
  std::memcpy(&value, read(sizeof(value)).data(), sizeof(value));
  return value;
}

std::string PackedReader::text() {
  const std::uint64_t size = number();
  return std::string(read(size));
}

std::string_view PackedReader::read(std::uint64_t size) {
  if (size > rest_.size()) throw Error(ErrorKind::kInternal, fmt::format("{} is cut", what_));
  const std::string_view part = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return part;
}

}  // namespace virnucpro
