#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/cancel.hpp"
#include "sequence/record.hpp"
#include "validate/datasets/fraction.hpp"
#include "validate/datasets/length_histogram.hpp"

namespace virnucpro {

struct FixedLength {
  std::uint64_t letters = 0;
};

// Each length from `least` to `most` is as likely as any other.
struct UniformLengths {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

// The logarithm of the length is normal around that of `median`, with the standard deviation
// `sigma`. What would lie beyond a bound is that bound, which leaves the median where it is.
struct LogNormalLengths {
  std::uint64_t median = 1;  // from 1, within the bounds
  Fraction sigma{};          // at most kMaxSigma
  std::uint64_t least = 1;
  std::uint64_t most = kMaxLetters;
};

// Those of the sequences of a file, as often as they are there (lengths above 8191: as
// LengthHistogram has them).
struct ObservedLengths {
  std::string file{};
  std::string hash{};  // of its text, as runs have it
  std::vector<LengthStep> steps{};
};

using LengthDistribution =
    std::variant<FixedLength, UniformLengths, LogNormalLengths, ObservedLengths>;

inline constexpr std::uint32_t kMaxSigma = 5;

// "500", "uniform:100-900", "lognormal:500,0.4", "lognormal:500,0.4,100-2000", "from:FILE". A file
// is read to its end, once, whatever format it has that predict reads. Errors: kUsage, naming
// `option`; the file's; Cancel's.
LengthDistribution parse_lengths(std::string_view text, std::string_view option,
                                 const Cancel& cancel);

// As parse_lengths() takes it.
std::string lengths_text(const LengthDistribution& lengths);

// Whether the numbers lie within their bounds, which are all at most kMaxLetters.
bool is_possible(const LengthDistribution& lengths);

// The length of a sequence, which depends on nothing but the seed and the sequence's index. Integer
// arithmetic alone: the same on every machine. The C library's exp and log differ between machines
// in their last bit, and one letter more changes every byte behind it.
//
// A normal number is the sum of 48 uniform ones of 16 bits (Irwin and Hall, 1927), whose standard
// deviation is 2 in units of their range: its distribution function is within 0.001 of the normal
// one, and its excess kurtosis is -0.025. The power is one of 2, in fixed point with 24 bits behind
// the point, from integer square roots of 2.
std::uint64_t draw_length(const LengthDistribution& lengths, std::uint64_t seed,
                          std::uint64_t index);

}  // namespace virnucpro
