#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

// The limits are ten times what the largest published models need for headers and settings.
inline constexpr std::size_t kMaxJsonBytes = 8U << 20U;
inline constexpr std::size_t kMaxJsonMembers = 1U << 17U;  // in all objects together
inline constexpr std::size_t kMaxJsonDepth = 64;

using JsonScalar =
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string>;

// One step of the path from the document's root to a value.
struct JsonStep {
  std::string key;        // a member's name
  std::size_t index = 0;  // an element's number, from 0
  bool is_element = false;
};
using JsonPath = std::vector<JsonStep>;

// Receives the values of a JSON document in document order. `path` leads to the value. open() and
// close() are called for objects and arrays, also for empty ones.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void scalar(const JsonPath& path, JsonScalar value) = 0;
  virtual void open(const JsonPath& /*path*/, bool /*is_object*/) {}
  virtual void close(const JsonPath& /*path*/) {}
};

// Parses `text` without building a tree. Memory holds only the current path and the member names of
// open objects. Errors: kJson, with `file`, if the text is not JSON, exceeds a limit above, or has
// a member twice in one object.
void walk_json(std::string_view text, const std::string& file, JsonVisitor& visitor);

// These return a text or a number as JSON. Bytes that are not UTF-8, which paths and names may
// have, become U+FFFD. If printable() would change the text, all non-ASCII letters are escaped, so
// that a terminal can show the file. NaN and infinity become null.
std::string json_text(std::string_view text);
std::string json_text(double number);

// The values of a JSON document by path, such as "devices/0/name". For a value that is missing or
// has another type, the result is empty, not an error: a report then says "not measured".
class JsonValues {
 public:
  static constexpr std::size_t kMostValues = 1U << 18U;
  static constexpr std::size_t kLongestPath =
      128;  // in bytes; values with longer paths are skipped
  static constexpr double kLargestNumber = 1e15;

  JsonValues() = default;
  // Errors: those of walk_json(), and kJson for more than kMostValues values.
  JsonValues(std::string_view text, const std::string& file);
  static JsonValues read(const std::filesystem::path& file);  // Errors: kJson

  bool empty() const { return values_.empty(); }
  std::optional<double> any_number(const std::string& path) const;
  // These return only numbers from 0 to kLargestNumber, the range of measurements. count() rounds.
  std::optional<double> number(const std::string& path) const;
  std::optional<std::uint64_t> count(const std::string& path) const;
  // Returns a whole number of up to 64 bits without rounding, such as a seed or a size in bytes.
  std::optional<std::uint64_t> whole_number(const std::string& path) const;
  std::optional<std::string> text(const std::string& path) const;  // as shown_text() returns it
  std::optional<bool> flag(const std::string& path) const;
  std::size_t elements(const std::string& path) const;  // the number of an array's elements

 private:
  friend class JsonCollector;
  std::map<std::string, JsonScalar, std::less<>> values_;
  std::map<std::string, std::size_t, std::less<>> elements_;
};

struct JsonMember;
class Json;

// Returns an object as the text of a file. Its last member is a hash of the text before it, so that
// an edited or cut file is noticed.
std::string sealed_json(const Json& json);
// Returns the hash in a text of sealed_json(); empty if the text was cut or changed.
std::string_view seal_of(std::string_view text);

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

  // Returns the member of this name. Adds a missing member at the end, as null. Changes a null
  // value to an object first. Errors: kInternal if the value is neither an object nor null.
  Json& operator[](std::string_view name);

  // Adds every member of `other`, an object; replaces members of the same name.
  void update(const Json& other);

  // Returns the JSON, without a line end at its end. If `indent` > 0, every member and element has
  // its own line, `indent` blanks further right than its object or array. If 0, all is on one line
  // without blanks.
  std::string dump(std::size_t indent = 0) const;

 private:
  enum class Kind { kScalar, kArray, kObject };

  // Appends the JSON to `text`; each member's line begins with `blanks` blanks.
  void write(std::string& text, std::size_t indent, std::size_t blanks) const;

  Kind kind_ = Kind::kScalar;
  std::string scalar_ = "null";     // the value as JSON
  std::vector<std::string> names_;  // an object's names, one per value
  std::vector<Json> values_;
};

struct JsonMember {
  std::string name;
  Json value;
};

}  // namespace virnucpro
