#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

// Headers and settings of the largest published models take a tenth of these.
inline constexpr std::size_t kMaxJsonBytes = 8U << 20U;
inline constexpr std::size_t kMaxJsonMembers = 1U << 17U;  // of all objects together
inline constexpr std::size_t kMaxJsonDepth = 64;

using JsonScalar =
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string>;

// One step from the document's root: a member's name, or an element's place in an array.
struct JsonStep {
  std::string key;        // of a member
  std::size_t index = 0;  // of an element
  bool is_element = false;
};
using JsonPath = std::vector<JsonStep>;

// What a bounded walk over a JSON document reports, in document order. The path names the value
// itself; open() and close() tell of objects and arrays (an empty one has no scalars).
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void scalar(const JsonPath& path, JsonScalar value) = 0;
  virtual void open(const JsonPath& /*path*/, bool /*is_object*/) {}
  virtual void close(const JsonPath& /*path*/) {}
};

// Walks `text` without building a tree: memory stays with the deepest path and the names of the
// members of open objects. `file` names it in errors: kJson for what is not JSON, goes beyond one
// of the limits above, or names a member twice in one object.
void walk_json(std::string_view text, const std::string& file, JsonVisitor& visitor);

// Text and numbers as JSON has them. What is not UTF-8 becomes U+FFFD: paths and names need not be
// UTF-8. NaN and infinity become null.
std::string json_text(std::string_view text);
std::string json_text(double number);

}  // namespace virnucpro
