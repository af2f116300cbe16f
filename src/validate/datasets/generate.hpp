#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "validate/datasets/fraction.hpp"
#include "validate/datasets/length_distribution.hpp"
#include "validate/datasets/length_histogram.hpp"

namespace virnucpro {

struct GenerateSettings {
  std::uint64_t seed = 0;
  std::uint64_t count = 0;  // sequences, at most 2^40
  LengthDistribution length = FixedLength{};
  Fraction gc{1, 2};      // of the letters
  Fraction coding{0, 1};  // of the sequences, spread evenly over them
};

// Sequences by their index: `end` is none of them.
struct SequenceSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// What the sequences turned out to be.
struct GeneratedFigures {
  LengthHistogram lengths{};
  std::uint64_t gc_bases = 0;
  std::uint64_t coding_sequences = 0;
};

using TextSink = std::function<void(std::string_view)>;

// Writes FASTA (60 columns, ids seq_1, seq_2, …) to `sink`, in pieces that need not end at a line
// end. In a coding sequence frame 1 holds no stop codon; its letters have the GC share asked for
// all the same, to 1/4096. Integer arithmetic only, every sequence from its own random stream: the
// bytes are the same on every machine, and sequence i does not depend on `count`. Errors: kUsage
// for settings out of bounds.
void generate_fasta(const GenerateSettings& settings, const TextSink& sink);

// The same of some of the sequences; spans one after the other give the bytes of the whole. Adds to
// `figures`.
void generate_fasta(const GenerateSettings& settings, SequenceSpan span, const TextSink& sink,
                    GeneratedFigures& figures);

}  // namespace virnucpro
