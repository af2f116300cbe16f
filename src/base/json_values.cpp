#include "base/json_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/shown_text.hpp"
#include "base/text_lines.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestText = 4000;  // enough for a command line with many inputs

// Returns the path as text; empty if it is too long.
std::optional<std::string> path_text(const JsonPath& path, std::size_t steps) {
  std::string text;
  for (std::size_t k = 0; k < steps; ++k) {
    if (k > 0) text += '/';
    if (path[k].key.size() > JsonValues::kLongestPath) return std::nullopt;
    text += path[k].is_element ? std::to_string(path[k].index) : path[k].key;
    if (text.size() > JsonValues::kLongestPath) return std::nullopt;
  }
  return text;
}

std::optional<double> as_number(const JsonScalar& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
  return std::nullopt;
}

}  // namespace

class JsonCollector : public JsonVisitor {
 public:
  JsonCollector(JsonValues& values, const std::string& file) : values_(values), file_(file) {}

  void scalar(const JsonPath& path, JsonScalar value) override {
    count_element(path);
    std::optional<std::string> text = path_text(path, path.size());
    if (!text) return;
    if (values_.values_.size() == JsonValues::kMostValues) {
      throw Error(ErrorKind::kJson, Place{.file = file_},
                  fmt::format("more than {} values", JsonValues::kMostValues));
    }
    values_.values_[*std::move(text)] = std::move(value);
  }

  void open(const JsonPath& path, bool /*is_object*/) override { count_element(path); }

 private:
  void count_element(const JsonPath& path) {
    if (path.empty() || !path.back().is_element) return;
    std::optional<std::string> array = path_text(path, path.size() - 1);
    if (array) values_.elements_[*std::move(array)] = path.back().index + 1;
  }

  JsonValues& values_;
  const std::string& file_;
};

JsonValues::JsonValues(std::string_view text, const std::string& file) {
  JsonCollector collector(*this, file);
  walk_json(text, file, collector);
}

JsonValues JsonValues::read(const std::filesystem::path& file) {
  return {read_small_text(file, kMaxJsonBytes, ErrorKind::kJson), file.string()};
}

std::optional<double> JsonValues::number(const std::string& path) const {
  const auto found = values_.find(path);
  if (found == values_.end()) return std::nullopt;
  const std::optional<double> value = as_number(found->second);
  const bool possible = value && *value >= 0 && *value <= kLargestNumber;
  return possible ? value : std::nullopt;
}

std::optional<std::uint64_t> JsonValues::count(const std::string& path) const {
  const std::optional<double> value = number(path);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*value));
}

std::optional<std::uint64_t> JsonValues::whole_number(const std::string& path) const {
  const auto found = values_.find(path);
  if (found == values_.end()) return std::nullopt;
  const auto* number = std::get_if<std::uint64_t>(&found->second);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<std::string> JsonValues::text(const std::string& path) const {
  const auto found = values_.find(path);
  if (found == values_.end()) return std::nullopt;
  const auto* text = std::get_if<std::string>(&found->second);
  if (text == nullptr) return std::nullopt;
  return shown_text(*text, kLongestText);
}

std::optional<bool> JsonValues::flag(const std::string& path) const {
  const auto found = values_.find(path);
  if (found == values_.end()) return std::nullopt;
  const auto* flag = std::get_if<bool>(&found->second);
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::size_t JsonValues::elements(const std::string& path) const {
  const auto found = elements_.find(path);
  return found == elements_.end() ? 0 : found->second;
}

}  // namespace virnucpro
