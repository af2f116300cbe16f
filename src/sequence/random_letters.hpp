#pragma once

#include <array>
#include <cstdint>

#include "base/hash.hpp"

namespace virnucpro {

// An exact fraction.
struct Fraction {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;  // at most kMaxDenominator
};

inline constexpr std::uint32_t kMaxDenominator = 1'000'000;

// The random numbers of one sequence, the same on every machine.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t index)
      : state_(splitmix64(splitmix64(seed) ^ index)) {}

  std::uint64_t next() {
    const std::uint64_t value = splitmix64(state_);
    state_ += kSplitMixStep;
    return value;
  }

  // Returns a number from 0 to bound - 1; all are equally likely.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (UINT64_MAX % bound + 1) % bound;  // 2^64 modulo the bound
    std::uint64_t value = next();
    while (value > UINT64_MAX - uneven) value = next();
    return value % bound;
  }

 private:
  std::uint64_t state_;
};

// Draws made-up letters A, C, G and T with a given share of G and C.
class RandomLetters {
 public:
  // `gc` (0 to 1) is the expected share of G and C, which is rounded to about 1/4096.
  explicit RandomLetters(Fraction gc);

  // Calls `put` with each of `length` letters. If `coding`, frame 1 has no stop codon: whole codons
  // are checked, and the letters after the last codon cannot form one.
  template <typename Put>
  void draw(RandomStream stream, std::uint64_t length, bool coding, Put&& put) const {
    const std::uint64_t codons = coding ? length / 3 : 0;
    for (std::uint64_t i = 0; i < codons; ++i) {
      for (const char letter : draw_codon(stream, coding_gc_)) put(letter);
    }
    for (std::uint64_t i = 3 * codons; i < length; ++i) put(draw_letter(stream, plain_gc_));
  }

 private:
  // Draws one letter: G or C with probability gc_steps / 4096.
  static char draw_letter(RandomStream& stream, std::uint64_t gc_steps) {
    const std::uint64_t bits = stream.next();
    const bool second = (bits & 1U) != 0;
    if (bits >> 52U < gc_steps) return second ? 'C' : 'G';
    return second ? 'T' : 'A';
  }

  static bool is_stop(const std::array<char, 3>& codon) {
    return codon[0] == 'T' && ((codon[1] == 'A' && (codon[2] == 'A' || codon[2] == 'G')) ||
                               (codon[1] == 'G' && codon[2] == 'A'));
  }

  static std::array<char, 3> draw_codon(RandomStream& stream, std::uint64_t gc_steps) {
    std::array<char, 3> codon{};
    do {
      for (char& letter : codon) letter = draw_letter(stream, gc_steps);
    } while (is_stop(codon));
    return codon;
  }

  std::uint64_t plain_gc_;   // in steps of 1/4096
  std::uint64_t coding_gc_;  // the same for the letters of codons, before stop codons are refused
};

}  // namespace virnucpro
