#include "base/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace virnucpro {
namespace {

constexpr std::size_t kRounds = 64;
constexpr std::size_t kLengthBytes = 8;

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, kRounds> kConstants{
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U};

std::uint32_t big_endian_word(std::span<const std::byte> bytes, std::size_t index) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    word = word << 8U | std::to_integer<std::uint32_t>(bytes[4 * index + k]);
  }
  return word;
}

// The block's 16 words and the 48 that follow from them (section 6.2.2, step 1).
std::array<std::uint32_t, kRounds> message_schedule(std::span<const std::byte> block) {
  std::array<std::uint32_t, kRounds> words{};
  for (std::size_t t = 0; t < 16; ++t) words[t] = big_endian_word(block, t);
  for (std::size_t t = 16; t < kRounds; ++t) {
    const std::uint32_t x = words[t - 15];
    const std::uint32_t y = words[t - 2];
    words[t] = words[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3U)) + words[t - 7] +
               (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10U));
  }
  return words;
}

}  // namespace

// The letters are those of the standard.
void Sha256::add_block(State& state, std::span<const std::byte, kBlock> block) {
  const auto words = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < kRounds; ++t) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + kConstants[t] + words[t];
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State round{a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < state.size(); ++k) state[k] += round[k];
}

void Sha256::update(std::span<const std::byte> bytes) {
  std::size_t used = size_ % kBlock;
  size_ += bytes.size();
  while (!bytes.empty()) {
    if (used == 0 && bytes.size() >= kBlock) {
      add_block(state_, bytes.first<kBlock>());
      bytes = bytes.subspan(kBlock);
      continue;
    }
    const std::size_t taken = std::min(kBlock - used, bytes.size());
    std::copy_n(bytes.begin(), taken, open_.begin() + static_cast<std::ptrdiff_t>(used));
    bytes = bytes.subspan(taken);
    used += taken;
    if (used < kBlock) continue;
    add_block(state_, open_);
    used = 0;
  }
}

// Padded by a one, zeros, and the length in bits (section 5.1.1).
std::string Sha256::hex() const {
  State state = state_;
  std::array<std::byte, kBlock> block{};
  const std::size_t used = size_ % kBlock;
  std::copy_n(open_.begin(), used, block.begin());
  block.at(used) = std::byte{0x80};
  if (used + 1 + kLengthBytes > kBlock) {
    add_block(state, block);
    block.fill(std::byte{0});
  }
  for (std::size_t k = 0; k < kLengthBytes; ++k) {
    block.at(kBlock - 1 - k) = static_cast<std::byte>((size_ * 8) >> (8 * k));
  }
  add_block(state, block);
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace virnucpro
