#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace virnucpro {

// SHA-256 (FIPS 180-4) over a stream: for what users compare with `sha256sum`. What only this
// program compares is hashed by ContentHash, which is many times faster.
class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  // Of everything so far, as 64 digits.
  std::string hex() const;

  static constexpr std::size_t kBlock = 64;

 private:
  using State = std::array<std::uint32_t, 8>;
  static void add_block(State& state, std::span<const std::byte, kBlock> block);

  // The first 32 bits of the fractions of the square roots of 2, 3, 5, 7, 11, 13, 17, 19.
  State state_{0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
               0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<std::byte, kBlock> open_{};  // a block that is not full
  std::uint64_t size_ = 0;                // of everything, in bytes
};

}  // namespace virnucpro
