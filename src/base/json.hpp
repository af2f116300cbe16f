#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

// Limits: ten times the headers and settings of the largest published models.
inline constexpr std::size_t kMaxJsonBytes = 8U << 20U;
inline constexpr std::size_t kMaxJsonMembers = 1U << 17U;  // of all objects together
inline constexpr std::size_t kMaxJsonDepth = 64;

using JsonScalar =
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string>;

// One step from the document's root: a member's name, or an element's place in an array.
struct JsonStep {
  std::string key;        // a member's name
  std::size_t index = 0;  // an element's place
  bool is_element = false;
};
using JsonPath = std::vector<JsonStep>;

// Receives the values of a JSON document in its order. `path` leads to the value itself. open() and
// close() mark objects and arrays, which have no scalars if they are empty.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void scalar(const JsonPath& path, JsonScalar value) = 0;
  virtual void open(const JsonPath& /*path*/, bool /*is_object*/) {}
  virtual void close(const JsonPath& /*path*/) {}
};

// Walks `text` without building a tree. Memory holds only the current path and the member names of
// open objects. Errors: kJson, naming `file`, if the text is not JSON, goes beyond a limit above,
// or has a member twice in one object.
void walk_json(std::string_view text, const std::string& file, JsonVisitor& visitor);

// Writes text and numbers as JSON. Bytes that are not UTF-8 become U+FFFD, because paths and names
// may have any bytes. A text that printable() would change has its non-ASCII escaped, so that a
// terminal can show the file. NaN and infinity become null.
std::string json_text(std::string_view text);
std::string json_text(double number);

}  // namespace virnucpro
