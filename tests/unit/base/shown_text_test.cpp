#include "base/shown_text.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

TEST(ShownText, KeepsLetters) {
  EXPECT_EQ(shown_text("a é € 𝄞"), "a é € 𝄞");
}

TEST(ShownText, MakesWhatIsNoLetterVisible) {
  EXPECT_EQ(shown_text("a\xff z"), "a\\xff z");
  EXPECT_EQ(shown_text("\xed\xa0\x80").find("\xed\xa0"), std::string::npos);      // a surrogate
  EXPECT_EQ(shown_text("\xef\xbf\xbf").find("\xef\xbf\xbf"), std::string::npos);  // not in XML
}

TEST(ShownText, MakesControlCharactersVisible) {
  EXPECT_EQ(shown_text(std::string_view("a\nb\x1b[31m\0", 9)), "a\\x0ab\\x1b[31m\\x00");
}

TEST(ShownText, CutsBetweenLetters) {
  EXPECT_EQ(shown_text("abcdef", 3), "abc…");
  EXPECT_EQ(shown_text("ééé", 3), "éé…");
  EXPECT_EQ(shown_text("abc", 3), "abc");
  EXPECT_EQ(shown_text("\x1b\x1b", 3), "\\x1b…");
}

}  // namespace
}  // namespace virnucpro
