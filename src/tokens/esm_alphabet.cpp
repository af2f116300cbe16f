#include "tokens/esm_alphabet.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace virnucpro {
namespace {

constexpr std::uint8_t kFirstLetter = 4;
constexpr std::string_view kLetters = "LAGVSERTIDPKQNFYMHWCXBUZO.-";

constexpr auto kTokenOf = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(kEsmUnk);
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    table[static_cast<unsigned char>(kLetters[i])] = static_cast<std::uint8_t>(kFirstLetter + i);
  }
  return table;
}();

// <null_1> and <mask> are the last tokens; no letter stands for them.
static_assert(kFirstLetter + kLetters.size() + 2 == kEsmVocabulary);

}  // namespace

std::vector<std::uint8_t> esm_tokens(std::string_view protein) {
  std::vector<std::uint8_t> tokens;
  tokens.reserve(protein.size() + 2);
  tokens.push_back(kEsmCls);
  for (const char letter : protein) tokens.push_back(kTokenOf[static_cast<unsigned char>(letter)]);
  tokens.push_back(kEsmEos);
  return tokens;
}

std::size_t count_without_token(std::string_view protein) {
  return static_cast<std::size_t>(std::ranges::count_if(protein, [](char letter) {
    return kTokenOf[static_cast<unsigned char>(letter)] == kEsmUnk;
  }));
}

}  // namespace virnucpro
