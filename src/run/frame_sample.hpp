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
  // The sample ends when it has this many tokens or frames.
  std::size_t tokens = std::numeric_limits<std::size_t>::max();
  std::size_t frames = std::numeric_limits<std::size_t>::max();
  std::uint64_t first_seed = 0;  // seed of the first made-up sequence; the second has the next seed
  bool proteins = true;          // true: frames have tokens of ESM-2
};

// Returns frames for measuring models, with tokens of DNABERT-S only if `tokenizer` is not null.
//
// Takes the first frames of the file, or all if it has too few. Made-up sequences are one chunk
// long, have a stop-free frame, and are the same each time. Errors: those of the input; kUsage for
// a file without a stop-free frame, and for made-up chunks that are too short for a frame.
std::vector<FrameTokens> sample_frames(const SampleSettings& settings,
                                       const DnaTokenizer* tokenizer, const Cancel& cancel);

// Packs the frames of a sample; a frame's number is its index.
std::vector<PackedBatch> pack_all(const PackSettings& settings,
                                  std::span<const FrameTokens> frames);

// Returns a frame's number of tokens, of all models together.
std::size_t token_count(const FrameTokens& frame);

}  // namespace virnucpro
