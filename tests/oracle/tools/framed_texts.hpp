#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

// Reads a text's size (32 bits in this machine's byte order), then its bytes. Returns nothing at
// the end. tests/oracle/framed_texts.py writes these texts.
inline std::optional<std::string> next_framed_text(std::istream& in) {
  std::uint32_t size = 0;
  if (!in.read(reinterpret_cast<char*>(&size), sizeof(size))) return std::nullopt;
  std::string text(size, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return text;
}
