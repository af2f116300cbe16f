#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/translation.hpp"

namespace virnucpro {

inline constexpr std::array<std::string_view, 6> kFrameNames{"F1", "F2", "F3", "R1", "R2", "R3"};

// A reading frame without a stop codon.
struct Frame {
  std::uint8_t name = 0;    // index into kFrameNames
  std::string nucleotides;  // upper case; the first 3 · protein.size() + 1 bases, or all if fewer
  std::string protein;      // one residue for each codon of known letters; not empty
};

// Returns the letters in upper case, and U as T if translation.rna is set.
std::string upper_case(std::string_view letters, const Translation& translation = {});

// Returns the stop-free frames of one chunk in the order F1 F2 F3 R1 R2 R3
// (docs/reference/semantics.md, section 2).
std::vector<Frame> stop_free_frames(std::string_view chunk, const Translation& translation = {});

}  // namespace virnucpro
