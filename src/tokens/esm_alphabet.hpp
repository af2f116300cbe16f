#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace virnucpro {

// Special tokens of the alphabet of ESM-1b and ESM-2, which has 33 tokens (fair-esm
// `Alphabet.from_architecture("ESM-1b")`).
inline constexpr std::uint8_t kEsmCls = 0;
inline constexpr std::uint8_t kEsmPad = 1;
inline constexpr std::uint8_t kEsmEos = 2;
inline constexpr std::uint8_t kEsmUnk = 3;
inline constexpr std::uint32_t kEsmVocabulary = 33;

// Returns the tokens of a protein: <cls>, one token per byte, <eos>.
//
// Letters of the alphabet get the tokens of BatchConverter in fair-esm 2.0.0. Every other byte
// becomes one <unk>, so that token i + 1 is always residue i. fair-esm raises KeyError for an
// unknown letter (lower case, J, *), drops white space, and reads "<mask>" as one token.
std::vector<std::uint8_t> esm_tokens(std::string_view protein);

// Counts the letters that become <unk>.
std::size_t count_without_token(std::string_view protein);

}  // namespace virnucpro
