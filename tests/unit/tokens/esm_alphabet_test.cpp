#include "tokens/esm_alphabet.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <string>

namespace virnucpro {
namespace {

using testing::ElementsAre;

TEST(EsmTokens, NumbersTheLettersInTheAlphabetsOrder) {
  const std::string letters = "LAGVSERTIDPKQNFYMHWCXBUZO.-";
  std::vector<std::uint8_t> expected(letters.size() + 2);
  std::iota(expected.begin() + 1, expected.end() - 1, std::uint8_t{4});
  expected.front() = kEsmCls;
  expected.back() = kEsmEos;
  EXPECT_EQ(esm_tokens(letters), expected);
}

TEST(EsmTokens, AnEmptyProteinHasItsTwoEnds) {
  EXPECT_THAT(esm_tokens(""), ElementsAre(kEsmCls, kEsmEos));
}

TEST(EsmTokens, EveryOtherByteIsOneUnknownToken) {
  const std::string known = "LAGVSERTIDPKQNFYMHWCXBUZO.-";
  for (int byte = 0; byte < 256; ++byte) {
    const std::string letter(1, static_cast<char>(byte));
    const bool is_known = known.find(letter) != std::string::npos;
    const auto tokens = esm_tokens(letter);
    ASSERT_EQ(tokens.size(), 3U);
    EXPECT_EQ(tokens[1] == kEsmUnk, !is_known) << byte;
  }
  EXPECT_EQ(esm_tokens("<mask>"), std::vector<std::uint8_t>({0, 3, 3, 3, 3, 3, 3, 2}));
}

}  // namespace
}  // namespace virnucpro
