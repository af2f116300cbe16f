#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/cancel.hpp"
#include "measure/datasets/fraction.hpp"
#include "measure/datasets/length_histogram.hpp"
#include "sequence/record.hpp"

namespace virnucpro {

struct FixedLength {
  std::uint64_t letters = 0;
};

// All lengths from `least` to `most` are equally likely.
struct UniformLengths {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

// The logarithm of the length is normal, with mean log(`median`) and standard deviation `sigma`. A
// length beyond a bound becomes that bound, which keeps the median.
struct LogNormalLengths {
  std::uint64_t median = 1;  // at least 1, within the bounds
  Fraction sigma{};          // at most kMaxSigma
  std::uint64_t least = 1;
  std::uint64_t most = kMaxLetters;
};

// Lengths with the same frequencies as in a file. LengthHistogram groups lengths above 8191.
struct ObservedLengths {
  std::string file{};
  std::string hash{};  // hash of its text, as in a run's journal
  std::vector<LengthStep> steps{};
};

using LengthDistribution =
    std::variant<FixedLength, UniformLengths, LogNormalLengths, ObservedLengths>;

inline constexpr std::uint32_t kMaxSigma = 5;
inline constexpr std::string_view kLengthsFrom = "from:";  // a file's name follows

// Parses "500", "uniform:100-900", "lognormal:500,0.4", "lognormal:500,0.4,100-2000", "from:FILE".
// The file may have any format that predict reads; it is read once, to its end. Errors: kUsage,
// naming `option`; those of the file; those of Cancel.
LengthDistribution parse_lengths(std::string_view text, std::string_view option,
                                 const Cancel& cancel);

// Returns the text that parse_lengths() reads.
std::string lengths_text(const LengthDistribution& lengths);

// True if the numbers are within their bounds, which are all at most kMaxLetters.
bool is_possible(const LengthDistribution& lengths);

// Returns a sequence's length, which depends only on the seed and the sequence's index. It is
// computed in integers: exp() and log() differ between machines in the last bit, and one letter
// more would change every byte after it.
//
// A normal number is the sum of 48 uniform numbers of 16 bits (Irwin and Hall, 1927), which has a
// standard deviation of 2 in units of their range. Its distribution function is within 0.001 of the
// normal function, and its excess kurtosis is -0.025. exp() becomes a power of 2 in fixed point,
// with 24 fractional bits, from integer square roots of 2.
std::uint64_t draw_length(const LengthDistribution& lengths, std::uint64_t seed,
                          std::uint64_t index);

}  // namespace virnucpro
