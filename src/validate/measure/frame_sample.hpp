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
  std::string file{};  // any input, "-" for stdin; empty: sequences are made up
  std::uint64_t chunk_size = 500;
  std::size_t tokens = 0;  // as soon as there are so many, it is enough
};

// Frames to measure one model with, which have tokens of that model only: of DNABERT-S with its
// tokenizer, of ESM-2 without one (null).
//
// Those of a file are the first ones of it, and fewer where it has no more. Made-up sequences are a
// chunk long and hold a stop-free frame; they are the same each time. Errors: those of the input;
// kUsage for a file without a stop-free frame, and for made-up chunks too short for one.
std::vector<FrameTokens> sample_frames(const SampleSettings& settings,
                                       const DnaTokenizer* tokenizer, const Cancel& cancel);

// Of the one model that has any.
std::size_t token_count(const FrameTokens& frame);

}  // namespace virnucpro
