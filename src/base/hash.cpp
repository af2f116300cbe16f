#include "base/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <new>

namespace virnucpro {
namespace {

constexpr std::uint32_t kCastagnoli = 0x82f63b78U;  // CRC-32C's polynomial, bit-reversed

// Slicing by eight (Kounavis and Berry, 2005): kCrcTables[k][b] is the CRC of byte b followed by k
// zero bytes.
constexpr auto kCrcTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kCastagnoli : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8U) ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}();

std::uint32_t byte_at(std::span<const std::byte> bytes, std::size_t index) {
  return std::to_integer<std::uint32_t>(bytes[index]);
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc) {
  crc = ~crc;
  while (bytes.size() >= 8) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::uint32_t folded = k < 4 ? (crc >> (8U * k)) & 0xffU : 0U;
      next ^= kCrcTables[7 - k][byte_at(bytes, k) ^ folded];
    }
    crc = next;
    bytes = bytes.subspan(8);
  }
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    crc = (crc >> 8U) ^ kCrcTables[0][(crc ^ byte_at(bytes, k)) & 0xffU];
  }
  return ~crc;
}

std::uint64_t hash64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash128 hash128(std::string_view bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {.low = hash.low64, .high = hash.high64};
}

struct ContentHash::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {}
ContentHash::~ContentHash() = default;
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;

void ContentHash::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

std::string ContentHash::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string content_hash(std::string_view text) {
  ContentHash hash;
  hash.update(as_bytes(text));
  return hash.hex();
}

void Sha256::update(std::span<const std::byte> bytes) {
  ::sha256_update(&state_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Sha256::hex() const {
  sha256_ctx copy = state_;  // a copy, because a digest ends the stream
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  ::sha256_digest(&copy, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

GitBlobId::GitBlobId(std::uint64_t size) {
  ::sha1_init(&state_);
  std::string head = fmt::format("blob {}", size);
  head += '\0';
  update(as_bytes(head));
}

void GitBlobId::update(std::span<const std::byte> bytes) {
  ::sha1_update(&state_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string GitBlobId::hex() const {
  sha1_ctx copy = state_;
  std::array<std::uint8_t, SHA1_DIGEST_SIZE> digest{};
  ::sha1_digest(&copy, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace virnucpro
