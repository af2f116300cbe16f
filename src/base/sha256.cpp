#include "base/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace virnucpro {

void Sha256::update(std::span<const std::byte> bytes) {
  ::sha256_update(&state_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Sha256::hex() const {
  sha256_ctx copy = state_;  // digesting ends a stream
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  ::sha256_digest(&copy, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace virnucpro
