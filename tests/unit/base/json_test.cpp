#include "base/json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Records every event as a line: "a/1=s:text", "a{", "a}".
class Recorder : public JsonVisitor {
 public:
  std::vector<std::string> events;

  void scalar(const JsonPath& path, JsonScalar value) override {
    static const std::vector<std::string> kTypes{"n", "b", "i", "u", "d", "s"};
    std::string event = name(path) + "=" + kTypes.at(value.index());
    if (const auto* text = std::get_if<std::string>(&value)) event += ":" + *text;
    events.push_back(event);
  }
  void open(const JsonPath& path, bool is_object) override {
    events.push_back(name(path) + (is_object ? "{" : "["));
  }
  void close(const JsonPath& path) override { events.push_back(name(path) + "."); }

 private:
  static std::string name(const JsonPath& path) {
    std::string text;
    for (const JsonStep& step : path) {
      text += "/" + (step.is_element ? std::to_string(step.index) : step.key);
    }
    return text;
  }
};

std::vector<std::string> events_of(std::string_view text) {
  Recorder recorder;
  walk_json(text, "x.json", recorder);
  return recorder.events;
}

void expect_refused(const std::string& text, const std::string& reason) {
  try {
    events_of(text);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kJson);
    EXPECT_EQ(error.place().file, "x.json");
    EXPECT_THAT(error.what(), HasSubstr(reason));
    EXPECT_LT(std::string(error.what()).size(), 500U);
  }
}

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(WalkJson, TellsEveryValueInOrderWithItsPath) {
  EXPECT_THAT(events_of(R"({"a": [1, -2, {"b": null}], "c": {}, "d": 1.5, "e": true, "f": "x"})"),
              ElementsAre("{", "/a[", "/a/0=u", "/a/1=i", "/a/2{", "/a/2/b=n", "/a/2.", "/a.",
                          "/c{", "/c.", "/d=d", "/e=b", "/f=s:x", "."));
  EXPECT_THAT(events_of("[[1],[2]]"),
              ElementsAre("[", "/0[", "/0/0=u", "/0.", "/1[", "/1/0=u", "/1.", "."));
  EXPECT_THAT(events_of("\"alone\""), ElementsAre("=s:alone"));
}

TEST(WalkJson, KeepsWholeNumbersExact) {
  struct Numbers : JsonVisitor {
    std::vector<JsonScalar> values;
    void scalar(const JsonPath&, JsonScalar value) override { values.push_back(value); }
  } numbers;
  walk_json("[18446744073709551615, -9223372036854775808]", "x.json", numbers);
  EXPECT_EQ(std::get<std::uint64_t>(numbers.values.at(0)), 18446744073709551615U);
  EXPECT_EQ(std::get<std::int64_t>(numbers.values.at(1)), INT64_MIN);
}

TEST(WalkJson, RefusesAMemberNamedTwice) {
  expect_refused(R"({"a": 1, "b": 2, "a": 3})", "\"a\" occurs twice");
  expect_refused("{\"" + std::string(100000, 'k') + "\":1,\"" + std::string(100000, 'k') + "\":2}",
                 "occurs twice");
  EXPECT_NO_THROW(events_of(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})"));
}

TEST(WalkJson, RefusesWhatIsTooDeep) {
  EXPECT_NO_THROW(events_of(nested(kMaxJsonDepth)));
  expect_refused(nested(kMaxJsonDepth + 1), "nested deeper than 64");
  expect_refused(std::string(1'000'000, '['), "nested deeper");
}

TEST(WalkJson, RefusesWhatIsTooLarge) {
  expect_refused(std::string(kMaxJsonBytes + 1, ' '), "bytes; the limit is");
}

TEST(WalkJson, RefusesTooManyMembersHoweverTheyAreSpread) {
  const auto objects = [](std::size_t count) {
    std::string text = "[{}";
    for (std::size_t i = 0; i < count; ++i) text += R"(,{"a":0})";
    return text + "]";
  };
  EXPECT_NO_THROW(events_of(objects(kMaxJsonMembers)));
  expect_refused(objects(kMaxJsonMembers + 1), "more than 131072 members");
}

TEST(WalkJson, RefusesWhatIsNotJson) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\"}", "nul", "[1] 2", "'a'", "[01]",
                           "\"\x01\"", "\"\xff\"", "[1e999]", "NaN", "/* */ 1", "\"\\ud800\""}) {
    expect_refused(text, "");
  }
  expect_refused("\"" + std::string(1'000'000, 'x'), "JSON cannot be read");
}

TEST(WalkJson, RefusesATextCutAnywhere) {
  const std::string text = R"({"a": [1, 2.5, "x\u0041"], "b": {"c": null, "d": [true, false]}})";
  for (std::size_t size = 0; size < text.size(); ++size) expect_refused(text.substr(0, size), "");
}

TEST(JsonText, ShowsNothingThatActsOrHides) {
  EXPECT_EQ(json_text("k\u00fche"), "\"k\u00fche\"");
  EXPECT_EQ(json_text("a\u202eb\u009b\U000e0041"), R"("a\u202eb\u009b\udb40\udc41")");
  EXPECT_EQ(json_text("a\x7f\x1b\xff"), R"("a\u007f\u001b\ufffd")");
}

TEST(JsonText, HasDigitsThatReadBackTheSame) {
  EXPECT_EQ(json_text(0.0), "0.0");
  EXPECT_EQ(json_text(-0.0), "-0.0");
  EXPECT_EQ(json_text(100.0), "100.0");
  EXPECT_EQ(json_text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(json_text(1e-4), "0.0001");
  EXPECT_EQ(json_text(1e-5), "1e-05");
  EXPECT_EQ(json_text(1e14), "100000000000000.0");
  EXPECT_EQ(json_text(1e15), "1e+15");
  EXPECT_EQ(json_text(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(json_text(9223372036854775808.0), "9.223372036854776e+18");
  EXPECT_EQ(json_text(5e-324), "5e-324");
  EXPECT_EQ(json_text(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(json_text(-1e100), "-1e+100");
}

TEST(JsonText, HasNoNumberForWhatIsNotFinite) {
  EXPECT_EQ(json_text(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_text(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_text(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonText, EscapesWhatItMust) {
  EXPECT_EQ(json_text(""), "\"\"");
  EXPECT_EQ(json_text("\"\\/\b\f\n\r\t"), R"("\"\\/\b\f\n\r\t")");
  EXPECT_EQ(json_text(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\\u007f\"");
  EXPECT_EQ(json_text("é€🦠"), "\"é€🦠\"");
}

TEST(JsonText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_text("\xff\x61\xc3"), "\"\\ufffda\\ufffd\"");
  EXPECT_EQ(json_text("\xe2\x82"), "\"\\ufffd\"");                    // cut at the end
  EXPECT_EQ(json_text("\xe2\x82\x61"), "\"\\ufffda\"");               // cut by a letter
  EXPECT_EQ(json_text("\xf0\x9f\xa6\""), "\"\\ufffd\\\"\"");          // cut by an escaped letter
  EXPECT_EQ(json_text("\xc0\xaf"), "\"\\ufffd\\ufffd\"");             // longer than needed
  EXPECT_EQ(json_text("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
}

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

TEST(JsonWriter, WritesEveryKindOfValue) {
  const std::string text = "text";
  EXPECT_EQ(Json().dump(), "null");
  EXPECT_EQ(Json(nullptr).dump(), "null");
  EXPECT_EQ(Json(true).dump(), "true");
  EXPECT_EQ(Json(false).dump(), "false");
  EXPECT_EQ(Json(1.0).dump(), "1.0");
  EXPECT_EQ(Json(text).dump(), "\"text\"");
  EXPECT_EQ(Json(std::string_view(text)).dump(), "\"text\"");
  EXPECT_EQ(Json("text").dump(), "\"text\"");
  EXPECT_EQ(Json(std::optional<int>(1)).dump(), "1");
  EXPECT_EQ(Json(std::optional<int>()).dump(), "null");
  EXPECT_EQ(Json(std::vector<double>{1, 2.5}).dump(), "[1.0,2.5]");
  EXPECT_EQ(Json(std::vector<std::string>{"a", "b"}).dump(), R"(["a","b"])");
  EXPECT_EQ(Json({{"a", 1}}).dump(), R"({"a":1})");
  EXPECT_EQ(Json(std::map<std::string, double>{{"b", 2}, {"a", 1}}).dump(), R"({"a":1.0,"b":2.0})");
}

TEST(JsonWriter, KeepsWholeNumbersExact) {
  EXPECT_EQ(Json(0).dump(), "0");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
  EXPECT_EQ(Json(std::uint64_t{1} << 63U).dump(), "9223372036854775808");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
}

TEST(JsonWriter, PutsMembersAndElementsOnLines) {
  const Json json{{"b", 1},
                  {"a", {{"x", std::vector<int>{}}, {"y", Json::object()}, {"z", Json()}}},
                  {"l", std::vector<Json>{{{"k", true}}, Json::object(), "t"}}};
  EXPECT_EQ(json.dump(2), R"({
  "b": 1,
  "a": {
    "x": [],
    "y": {},
    "z": null
  },
  "l": [
    {
      "k": true
    },
    {},
    "t"
  ]
})");
  EXPECT_EQ(json.dump(1).substr(0, 10), "{\n \"b\": 1,");
  EXPECT_EQ(json.dump(), R"({"b":1,"a":{"x":[],"y":{},"z":null},"l":[{"k":true},{},"t"]})");
}

TEST(JsonWriter, EscapesNames) {
  EXPECT_EQ(Json({{"a\"\n\xff", 1}}).dump(), R"({"a\"\n\ufffd":1})");
}

TEST(JsonWriter, SetsMembersInOrderAndEachOnce) {
  Json json{{"b", 1}, {"a", 2}};
  json["c"] = 3;
  json["b"] = 4;
  json["d"]["e"] = 5;  // creates the object "d", too
  EXPECT_EQ(json.dump(), R"({"b":4,"a":2,"c":3,"d":{"e":5}})");
  json.update({{"f", 6}, {"a", 7}});
  EXPECT_EQ(json.dump(), R"({"b":4,"a":7,"c":3,"d":{"e":5},"f":6})");
}

}  // namespace
}  // namespace virnucpro
