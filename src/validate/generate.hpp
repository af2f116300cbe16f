#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace virnucpro {

// A share between 0 and 1 as an exact fraction.
struct Share {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;  // at most kMaxShareDenominator
};

inline constexpr std::uint32_t kMaxShareDenominator = 1'000'000;

// "0.5", "1", ".25": up to six digits after the point. Errors: kUsage, naming `option`.
Share parse_share(std::string_view text, std::string_view option);

struct GenerateSettings {
  std::uint64_t seed = 0;
  std::uint64_t count = 0;   // sequences, at most 2^40
  std::uint64_t length = 0;  // letters of each, at most 2^31-1
  Share gc{1, 2};            // of the letters
  Share coding{0, 1};        // of the sequences, spread evenly over them
};

// Writes FASTA (60 columns, ids seq_1, seq_2, …) to `sink`, in pieces that need not end at a line
// end. In a coding sequence frame 1 holds no stop codon; its letters have the GC share asked for
// all the same, to 1/4096. Integer arithmetic only, every sequence from its own random stream: the
// bytes are the same on every machine, and sequence i does not depend on `count`. Errors: kUsage
// for settings out of bounds.
void generate_fasta(const GenerateSettings& settings,
                    const std::function<void(std::string_view)>& sink);

}  // namespace virnucpro
