#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "tokens/dna_tokenizer.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

struct SampleSettings {
  std::string file{};  // any input, "-" for stdin; empty: made-up sequences
  std::uint64_t chunk_size = 500;
  // Enough for a sample, whichever comes first.
  std::size_t tokens = std::numeric_limits<std::size_t>::max();
  std::size_t frames = std::numeric_limits<std::size_t>::max();
  std::uint64_t first_seed = 0;  // of made-up sequences, which have one each
  bool proteins = true;          // tokens of ESM-2
};

// Frames for measuring models, with tokens of these models only: of DNABERT-S with its tokenizer,
// which else is null.
//
// From a file they are its first frames, all of them if it has too few. Made-up sequences are one
// chunk long, have a stop-free frame, and are the same each time. Errors: those of the input;
// kUsage for a file without a stop-free frame, and for made-up chunks too short for one.
std::vector<FrameTokens> sample_frames(const SampleSettings& settings,
                                       const DnaTokenizer* tokenizer, const Cancel& cancel);

// The batches of such frames; a frame's number is its place.
std::vector<PackedBatch> pack_all(const PackSettings& settings,
                                  std::span<const FrameTokens> frames);

// The tokens of all models.
std::size_t token_count(const FrameTokens& frame);

}  // namespace virnucpro
