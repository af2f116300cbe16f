#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "tokens/dna_tokenizer.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

struct SampleSettings {
  std::string file{};  // any input, "-" for stdin; empty: made-up sequences
  std::uint64_t chunk_size = 500;
  std::size_t tokens = 0;  // enough for a sample
};

// Frames for measuring one model, with tokens of that model only: of DNABERT-S with its tokenizer,
// of ESM-2 without one (null).
//
// From a file they are its first frames, all of them if it has too few. Made-up sequences are one
// chunk long, have a stop-free frame, and are the same each time. Errors: those of the input;
// kUsage for a file without a stop-free frame, and for made-up chunks too short for one.
std::vector<FrameTokens> sample_frames(const SampleSettings& settings,
                                       const DnaTokenizer* tokenizer, const Cancel& cancel);

// The tokens of the one model that has any.
std::size_t token_count(const FrameTokens& frame);

}  // namespace virnucpro
