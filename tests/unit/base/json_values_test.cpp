#include "base/json_values.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

TEST(JsonValues, AreFoundByTheirPaths) {
  const JsonValues values(R"({"a": {"b": [1, {"c": "x"}]}, "t": true, "f": 2.5, "n": null})", "f");
  EXPECT_EQ(values.number("a/b/0"), 1.0);
  EXPECT_EQ(values.count("a/b/0"), 1U);
  EXPECT_EQ(values.text("a/b/1/c"), "x");
  EXPECT_EQ(values.elements("a/b"), 2U);
  EXPECT_EQ(values.flag("t"), true);
  EXPECT_EQ(values.number("f"), 2.5);
}

TEST(JsonValues, AreEmptyWhereTheyAreNotThereOrAnother) {
  const JsonValues values(R"({"t": "1", "n": 1, "b": true, "null": null, "a": [], "o": {}})", "f");
  for (const char* path : {"t", "b", "null", "a", "o", "none", ""}) {
    EXPECT_FALSE(values.number(path)) << path;
    EXPECT_FALSE(values.count(path)) << path;
  }
  for (const char* path : {"n", "b", "null", "none"}) EXPECT_FALSE(values.text(path)) << path;
  for (const char* path : {"n", "t", "null", "none"}) EXPECT_FALSE(values.flag(path)) << path;
  EXPECT_EQ(values.elements("a"), 0U);
  EXPECT_EQ(values.elements("t"), 0U);
}

TEST(JsonValues, TakeNoNumberThatNothingCanMeasure) {
  const JsonValues values(R"([-1, 1e16, 18446744073709551615, 1e300, 1e15])", "f");
  for (const char* path : {"0", "1", "2", "3"}) EXPECT_FALSE(values.number(path)) << path;
  EXPECT_EQ(values.count("4"), 1'000'000'000'000'000U);
}

TEST(JsonValues, GiveWholeNumbersAsTheyAreWritten) {
  const JsonValues values(R"([18446744073709551615, 9007199254740993, -1, 1.0, "1"])", "f");
  EXPECT_EQ(values.whole_number("0"), UINT64_MAX);
  EXPECT_EQ(values.whole_number("1"), 9'007'199'254'740'993U);
  for (const char* path : {"2", "3", "4", "5"}) EXPECT_FALSE(values.whole_number(path)) << path;
}

TEST(JsonValues, RefuseWhatIsNoJson) {
  for (const char* text : {"", "{", "{\"a\": NaN}", "{\"a\": Infinity}", "{\"a\": 1e999}",
                           "{\"a\": 1, \"a\": 2}", "{\"a\": \"\xff\"}", "{} {}"}) {
    EXPECT_EQ(thrown_kind([&] { JsonValues(text, "f"); }), ErrorKind::kJson) << text;
  }
}

TEST(JsonValues, AreBounded) {
  const std::string name(2 * JsonValues::kLongestPath, 'n');
  const JsonValues values(fmt::format(R"({{"{0}": 1, "o": {{"{0}": 1}}, "z": 1}})", name), "f");
  EXPECT_FALSE(values.number(name));
  EXPECT_EQ(values.number("z"), 1.0);
  std::string many = "[0";
  for (std::size_t k = 0; k < JsonValues::kMostValues; ++k) many += ",0";
  EXPECT_EQ(thrown_kind([&] { JsonValues(many + "]", "f"); }), ErrorKind::kJson);
}

}  // namespace
}  // namespace virnucpro
