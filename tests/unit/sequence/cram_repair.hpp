#pragma once

#include <libdeflate.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace virnucpro {

// Walks through the containers and blocks of a CRAM file and corrects their checksums.
class CramRepair {
 public:
  explicit CramRepair(std::string& bytes) : bytes_(bytes) {}

  void run() {
    at_ = 26;
    while (at_ < bytes_.size()) container();
  }

 private:
  std::uint32_t byte() {
    if (at_ >= bytes_.size()) return 0;
    return static_cast<unsigned char>(bytes_[at_++]);
  }

  // Reads a number whose leading one bits say how many bytes follow, at most `most`.
  std::uint32_t number(std::uint32_t most) {
    const std::uint32_t first = byte();
    std::uint32_t more = 0;
    while (more < most && (first & 0x80U >> more) != 0) ++more;
    std::uint32_t value = more == most ? first & 15U : first & 0x7fU >> more;
    for (std::uint32_t i = 0; i < more; ++i) {
      value = i == 3 ? value << 4U | (byte() & 15U) : value << 8U | byte();
    }
    return value;
  }

  void checksum(std::size_t begin) {
    const std::size_t end = std::min(at_, bytes_.size());
    const std::uint32_t crc = libdeflate_crc32(0, bytes_.data() + begin, end - begin);
    for (unsigned shift = 0; shift < 32 && at_ < bytes_.size(); shift += 8) {
      bytes_[at_++] = static_cast<char>(crc >> shift);
    }
  }

  void container() {
    const std::size_t begin = at_;
    at_ += 4;
    for (int i = 0; i < 4; ++i) number(4);
    number(8);
    number(8);
    const std::uint32_t blocks = number(4);
    const std::uint32_t landmarks = number(4);
    for (std::uint32_t i = 0; i < landmarks && at_ < bytes_.size(); ++i) number(4);
    checksum(begin);
    for (std::uint32_t i = 0; i < blocks && at_ < bytes_.size(); ++i) {
      const std::size_t block = at_;
      at_ += 2;
      number(4);
      const std::uint32_t size = number(4);
      number(4);
      at_ = std::min<std::size_t>(at_ + size, bytes_.size());
      checksum(block);
    }
  }

  std::string& bytes_;
  std::size_t at_ = 0;
};

inline void repair_cram(std::string& bytes) {
  CramRepair(bytes).run();
}

}  // namespace virnucpro
