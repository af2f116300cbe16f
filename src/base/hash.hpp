#pragma once

#include <nettle/sha1.h>
#include <nettle/sha2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace virnucpro {

// Returns the CRC-32C (Castagnoli, as in iSCSI). `crc` is the CRC of the bytes before `bytes`.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

// Returns the XXH3 hash of 64 bits.
std::uint64_t hash64(std::string_view bytes);

// An XXH3 hash of 128 bits.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Hash128&) const = default;
};
Hash128 hash128(std::string_view bytes, std::uint64_t seed = 0);

// Returns the FNV-1a hash of 64 bits.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3U;
  }
  return hash;
}

// SplitMix64: splitmix64(x) is the output for state x; the next state is x + kSplitMixStep.
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// The XXH3-128 hash of a stream. hex() returns the canonical form, 32 hexadecimal digits.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;

  void update(std::span<const std::byte> bytes);
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns ContentHash::hex() of a text.
std::string content_hash(std::string_view text);

// The SHA-256 of a stream, for hashes that users compare with `sha256sum`. For all other hashes use
// ContentHash, which is many times faster.
class Sha256 {
 public:
  Sha256() { ::sha256_init(&state_); }

  void update(std::span<const std::byte> bytes);
  // Returns the hash of all bytes so far, as 64 hexadecimal digits.
  std::string hex() const;

 private:
  sha256_ctx state_{};
};

// Computes git's id of a file's content (SHA-1 of "blob <bytes>", a NUL and the content) from a
// stream of known size. The id tells which version of a repository's file this is. It does not
// protect against forgery, because SHA-1 can be forged.
class GitBlobId {
 public:
  explicit GitBlobId(std::uint64_t size);

  void update(std::span<const std::byte> bytes);
  // Returns the id of all bytes so far, as 40 hexadecimal digits.
  std::string hex() const;

 private:
  sha1_ctx state_{};
};

}  // namespace virnucpro
