#pragma once

#include <nettle/sha2.h>

#include <cstddef>
#include <span>
#include <string>

namespace virnucpro {

// SHA-256 over a stream: for what users compare with `sha256sum`. What only this program compares
// is hashed by ContentHash, which is many times faster.
class Sha256 {
 public:
  Sha256() { ::sha256_init(&state_); }

  void update(std::span<const std::byte> bytes);
  // Of everything so far, as 64 digits.
  std::string hex() const;

 private:
  sha256_ctx state_{};
};

}  // namespace virnucpro
