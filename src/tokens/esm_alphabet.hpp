#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace virnucpro {

// Tokens of the ESM-1b/ESM-2 alphabet of 33 (fair-esm `Alphabet.from_architecture("ESM-1b")`).
inline constexpr std::uint8_t kEsmCls = 0;
inline constexpr std::uint8_t kEsmPad = 1;
inline constexpr std::uint8_t kEsmEos = 2;
inline constexpr std::uint8_t kEsmUnk = 3;
inline constexpr std::uint32_t kEsmVocabulary = 33;

// Returns the tokens of a protein: <cls>, one token per byte, <eos>.
//
// For letters of the alphabet they equal those of fair-esm 2.0.0's BatchConverter. Every other byte
// is one <unk>, so that token i + 1 is always residue i. fair-esm raises KeyError for an unknown
// letter (lower case, J, *), drops white space, and reads a written "<mask>" as the mask token.
std::vector<std::uint8_t> esm_tokens(std::string_view protein);

// Counts the letters that become <unk>.
std::size_t count_without_token(std::string_view protein);

}  // namespace virnucpro
