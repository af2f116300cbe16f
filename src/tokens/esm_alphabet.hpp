#pragma once

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

// <cls>, one token a residue (letters outside the alphabet are <unk>), <eos>.
std::vector<std::uint8_t> esm_tokens(std::string_view protein);

}  // namespace virnucpro
