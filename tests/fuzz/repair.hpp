#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/checked.hpp"
#include "base/hash.hpp"
#include "unit/weights/zip_builder.hpp"
#include "weights/zip_file.hpp"

// Most mutations break a checksum or a length. These functions correct it, so that the fuzzer also
// reaches the code after those checks.
namespace virnucpro::fuzz {

inline std::uint64_t number_at(std::string_view bytes, std::size_t place, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[place + i]);
  }
  return value;
}

// Corrects the CRC-32 of each member of a ZIP, in its directory entry and its local header.
inline void repair_zip(std::string& bytes) {
  constexpr std::string_view kEntry = "PK\x01\x02";
  constexpr std::size_t kEntrySize = 46;
  constexpr std::size_t kLocalSize = 30;
  for (std::size_t entry = bytes.find(kEntry); entry != std::string::npos;
       entry = bytes.find(kEntry, entry + 1)) {
    if (!range_within<std::size_t>(entry, kEntrySize, bytes.size())) return;
    const std::size_t size = number_at(bytes, entry + 24, 4);
    const std::size_t local = number_at(bytes, entry + 42, 4);
    if (!range_within(local, kLocalSize, bytes.size())) continue;
    const std::size_t data =
        local + kLocalSize + number_at(bytes, local + 26, 2) + number_at(bytes, local + 28, 2);
    if (!range_within(data, size, bytes.size())) continue;
    const auto crc = zip_crc32(as_bytes(std::string_view(bytes).substr(data, size)));
    bytes.replace(entry + 16, 4, le_bytes(crc, 4));
    bytes.replace(local + 14, 4, le_bytes(crc, 4));
  }
}

// Sets the length of a safetensors header, so that the header ends at the last brace.
inline void repair_safetensors(std::string& bytes) {
  constexpr std::size_t kLength = 8;
  const std::size_t brace = bytes.rfind('}');
  if (brace == std::string::npos || brace < kLength) return;
  bytes.replace(0, kLength, le_bytes(brace + 1 - kLength, kLength));
}

}  // namespace virnucpro::fuzz
