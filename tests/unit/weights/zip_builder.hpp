#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "weights/zip_file.hpp"

namespace virnucpro {

inline std::string le_bytes(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) {
    text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  }
  return text;
}

// Returns an uncompressed ZIP. A member is a name and its data.
inline std::string build_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string file;
  std::string directory;
  for (const auto& [name, data] : members) {
    const std::string version = le_bytes(20, 2);
    const std::string size = le_bytes(data.size(), 4);
    const std::string fields = std::string(8, '\0') + le_bytes(zip_crc32(as_bytes(data)), 4) +
                               size + size + le_bytes(name.size(), 2) + le_bytes(0, 2);
    directory += "PK\x01\x02" + version + version + fields + std::string(10, '\0') +
                 le_bytes(file.size(), 4) + name;
    file += "PK\x03\x04" + version + fields + name + data;
  }
  const std::string entries = le_bytes(members.size(), 2);
  return file + directory + "PK\x05\x06" + std::string(4, '\0') + entries + entries +
         le_bytes(directory.size(), 4) + le_bytes(file.size(), 4) + le_bytes(0, 2);
}

}  // namespace virnucpro
