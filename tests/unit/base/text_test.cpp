#include "base/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace virnucpro {
namespace {

TEST(ParseCount, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("010"), 10U);
  EXPECT_EQ(parse_count("18446744073709551615"), 18446744073709551615U);
  for (const char* text :
       {"", "-1", "+1", " 1", "1 ", "1k", "0x10", "1.0", "18446744073709551616"}) {
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
  }
}

TEST(ParseNumber, IsFinite) {
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  for (const char* text : {"", "nan", "inf", "1e999", "0.5x", " 1"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(ParseBool, KnowsYamlsWords) {
  EXPECT_EQ(parse_bool("True"), true);
  EXPECT_EQ(parse_bool("off"), false);
  EXPECT_EQ(parse_bool("maybe"), std::nullopt);
}

TEST(SplitList, KeepsEveryPart) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split_list("1,2,30"), (Parts{"1", "2", "30"}));
  EXPECT_EQ(split_list(",a,"), (Parts{"", "a", ""}));
  EXPECT_EQ(split_list(""), (Parts{""}));
}

TEST(Nearest, FindsSlipsAndNothingFarAway) {
  constexpr std::array<std::string_view, 3> kWords{"predict", "generate", "embed"};
  EXPECT_EQ(nearest("perdict", kWords), "predict");
  EXPECT_EQ(nearest("genrate", kWords), "generate");
  EXPECT_EQ(nearest("embedd", kWords), "embed");
  EXPECT_EQ(nearest("assemble", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest(std::string(100000, 'e'), kWords), "");
}

TEST(DidYouMean, EndsAMessage) {
  constexpr std::array<std::string_view, 2> kWords{"predict", "embed"};
  EXPECT_EQ(did_you_mean("perdict", kWords), "; did you mean predict?");
  EXPECT_EQ(did_you_mean("assemble", kWords), "");
}

TEST(Printable, EscapesControlCharactersOnly) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\x7f\xc3\xa9"), "a\\x1b[2Jb\\x0a\\x7f\xc3\xa9");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("caf\u00e9 \u4e2d \u0416 \U0001f9ec ~\u00a0"),
            "caf\u00e9 \u4e2d \u0416 \U0001f9ec ~\u00a0");
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("caf\xe9 \x9b"
                      "31m"),
            "caf\\xe9 \\x9b31m");                           // CSI of a terminal with 8 bits
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");           // cut
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // longer than needed
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, EscapesWhatIsNotSeenItself) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xc2\x85"),
            "\\u009b31m \\u0085");  // C1 controls
  EXPECT_EQ(printable("a\u202egnp.exe"), "a\\u202egnp.exe");
  EXPECT_EQ(printable("\u061c\u200e\u200f\u202a\u2066\u2069"),
            "\\u061c\\u200e\\u200f\\u202a\\u2066\\u2069");
  EXPECT_EQ(printable("\U0001bca0\U0001d17a"), "\\U0001bca0\\U0001d17a");
  EXPECT_EQ(printable("\u2028\u2029\ufeff\u200b\u2060"), "\\u2028\\u2029\\ufeff\\u200b\\u2060");
  EXPECT_EQ(printable("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff");
  EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");  // a tag
}

TEST(Printable, ChangesNothingTheSecondTime) {
  std::string all;
  for (unsigned byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  all += "\u202e\u00e9";
  EXPECT_FALSE(is_printable(all));
  const std::string once = printable(all);
  EXPECT_TRUE(is_printable(once));
  EXPECT_EQ(printable(once), once);
}

TEST(Printable, KeepsTheLinesOfAText) {
  EXPECT_EQ(printable_lines("a\nb\x1b\n\nc\td\n"), "a\nb\\x1b\n\nc\\x09d\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Letters, AreThoseOfUtf8) {
  EXPECT_EQ(count_letters(""), 0U);
  EXPECT_EQ(count_letters("aé·…"), 4U);
  EXPECT_EQ(first_letters("aé·…", 2), "aé");
  EXPECT_EQ(first_letters("aé·…", 0), "");
  EXPECT_EQ(first_letters("aé·…", 9), "aé·…");
}

TEST(Grouped, SetsCommas) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12345678), "12,345,678");
}

TEST(SomeOf, SaysHowManyMoreThereAre) {
  const std::vector<std::string> texts(1'236, "a");
  EXPECT_EQ(some_of({texts.data(), 0}, 2), "");
  EXPECT_EQ(some_of({texts.data(), 2}, 2), "a, a");
  EXPECT_EQ(some_of(texts, 2), "a, a and 1,234 more");
  EXPECT_EQ(some_of({texts.data(), 3}, 2, "; ", "; "), "a; a; 1 more");
}

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
