#pragma once

#include <cstdint>
#include <filesystem>

#include "base/cancel.hpp"
#include "observe/counters.hpp"
#include "run/frame_stream.hpp"
#include "run/settings.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

struct EmbedSettings {
  InputSettings inputs;
  ModelSettings models;
  ComputeSettings compute;
  using Source = FrameSource;
  Source source = Source::kSequences;
  std::uint64_t chunk_size = 500;
  Translation translation{};
  std::filesystem::path output;  // an HDF5 file; an existing file is replaced
  bool dnabert_s = true;
  bool esm2 = true;
  bool merged = true;
};

struct EmbedSummary {
  std::uint64_t rows = 0;
  SkippedAlignments skipped;
  std::uint64_t unknown_letters = 0;  // as in FramePart
  std::uint64_t rna_sequences = 0;    // as in RunSummary
  std::uint64_t final_stops = 0;      // proteins whose final '*' was cut
};

// Computes the embedding of every frame, or of every given protein or nucleotide sequence, in input
// order. If an input is damaged, throws its error and writes no file.
EmbedSummary embed(const EmbedSettings& settings, RunCounters& counters, const Cancel& cancel);

}  // namespace virnucpro
