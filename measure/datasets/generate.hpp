#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "measure/datasets/fraction.hpp"
#include "measure/datasets/length_distribution.hpp"
#include "measure/datasets/length_histogram.hpp"

namespace virnucpro {

struct GenerateSettings {
  std::uint64_t seed = 0;
  std::uint64_t count = 0;  // number of sequences, at most 2^40
  LengthDistribution length = FixedLength{};
  Fraction gc{1, 2};      // share of G and C among the letters
  Fraction coding{0, 1};  // share of coding sequences, spread evenly
};

// The sequences with indices from `begin` up to but not including `end`.
struct SequenceSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct GeneratedFigures {
  LengthHistogram lengths{};
  std::uint64_t gc_bases = 0;
  std::uint64_t coding_sequences = 0;
};

using TextSink = std::function<void(std::string_view)>;

// Writes FASTA (60 columns, ids seq_1, seq_2, …) to `sink`, in pieces that may end within a line.
// In a coding sequence frame 1 holds no stop codon, and its letters still have the requested GC
// share, to 1/4096. Each sequence has its own random stream, in integer arithmetic only. So the
// bytes are the same on every machine, and sequence i does not depend on `count`. Errors: kUsage
// for settings out of bounds.
void generate_fasta(const GenerateSettings& settings, const TextSink& sink);

// Writes only the sequences of `span`: the texts of adjacent spans, joined, equal the whole text.
// Adds the figures of these sequences to `figures`.
void generate_fasta(const GenerateSettings& settings, SequenceSpan span, const TextSink& sink,
                    GeneratedFigures& figures);

}  // namespace virnucpro
