#pragma once

#include <nettle/sha2.h>

#include <cstddef>
#include <span>
#include <string>

namespace virnucpro {

// SHA-256 of a stream, for hashes that users compare with `sha256sum`. Hashes that only this
// program compares are ContentHash's, which is many times faster.
class Sha256 {
 public:
  Sha256() { ::sha256_init(&state_); }

  void update(std::span<const std::byte> bytes);
  // The hash of everything so far, as 64 hexadecimal digits.
  std::string hex() const;

 private:
  sha256_ctx state_{};
};

}  // namespace virnucpro
