#include "base/json_writer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace virnucpro {
namespace {

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
