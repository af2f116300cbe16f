#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace virnucpro {

// The numbers and words of a JSON document by path, such as "devices/0/name". A value that is
// missing or of another type is empty, not an error: a report then says "not measured".
class JsonValues {
 public:
  static constexpr std::size_t kMostValues = 1U << 18U;
  static constexpr std::size_t kLongestPath = 128;  // values with longer paths are left out
  static constexpr double kLargestNumber = 1e15;

  JsonValues() = default;
  // Errors: those of walk_json(), and kJson for more than kMostValues values.
  JsonValues(std::string_view text, const std::string& file);
  static JsonValues read(const std::filesystem::path& file);  // Errors: kJson

  bool empty() const { return values_.empty(); }
  // These return only numbers from 0 to kLargestNumber; no measured value lies outside.
  std::optional<double> number(const std::string& path) const;
  std::optional<std::uint64_t> count(const std::string& path) const;
  // Returns a whole number of up to 64 bits, not rounded: a seed, a number of bytes.
  std::optional<std::uint64_t> whole_number(const std::string& path) const;
  std::optional<std::string> text(const std::string& path) const;  // as shown_text() returns it
  std::optional<bool> flag(const std::string& path) const;
  std::size_t elements(const std::string& path) const;  // the length of an array

 private:
  friend class JsonCollector;
  std::map<std::string, JsonScalar, std::less<>> values_;
  std::map<std::string, std::size_t, std::less<>> elements_;
};

}  // namespace virnucpro
