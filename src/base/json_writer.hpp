#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace virnucpro {

struct JsonMember;

// A value to be written as JSON. Members of an object keep their order:
//
//   Json json{{"name", name}, {"lengths", {{"min", 4}, {"mean", 4.5}}}};
//   json["hash"] = hash;    // an empty optional is null
//   json["files"] = files;  // a vector is an array, a map an object
//   return json.dump(2) + "\n";
class Json {
 public:
  // Implicit, so that the members of an object can be listed as above.
  // NOLINTBEGIN(google-explicit-constructor)
  Json(std::nullptr_t = nullptr) {}
  Json(double number) : scalar_(json_text(number)) {}
  template <std::integral T>
  Json(T number) : scalar_(std::to_string(number)) {
    if constexpr (std::is_same_v<T, bool>) scalar_ = number ? "true" : "false";
  }
  template <std::convertible_to<std::string_view> T>
  Json(const T& text) : scalar_(json_text(std::string_view(text))) {}
  template <typename T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  template <typename T>
  Json(const std::vector<T>& elements)
      : Json(std::vector<Json>(elements.begin(), elements.end())) {}
  Json(std::vector<Json> elements) : kind_(Kind::kArray), values_(std::move(elements)) {}
  Json(std::initializer_list<JsonMember> members);
  template <typename T>
  Json(const std::map<std::string, T>& members) : Json(object()) {
    for (const auto& [name, value] : members) (*this)[name] = value;
  }
  // NOLINTEND(google-explicit-constructor)

  // Makes an object without members; operator[] adds members.
  static Json object();

  // Returns the member of this name; a missing member is added at the end, as null. A null value
  // becomes an object. Errors: kInternal if the value is not an object or null.
  Json& operator[](std::string_view name);

  // Sets every member of `other`, an object.
  void update(const Json& other);

  // Returns the JSON, without a line end at its end. If `indent` > 0, every member and element has
  // its own line, `indent` blanks deeper than its container. If 0, all is on one line without
  // blanks.
  std::string dump(std::size_t indent = 0) const;

 private:
  enum class Kind { kScalar, kArray, kObject };

  // Puts `blanks` blanks before each member.
  void write(std::string& text, std::size_t indent, std::size_t blanks) const;

  Kind kind_ = Kind::kScalar;
  std::string scalar_ = "null";     // the value as JSON
  std::vector<std::string> names_;  // an object's names: one for every value
  std::vector<Json> values_;
};

struct JsonMember {
  std::string name;
  Json value;
};

}  // namespace virnucpro
