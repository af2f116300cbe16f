#include "weights/model_config.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/checked.hpp"
#include "base/file.hpp"
#include "base/json.hpp"

namespace virnucpro {
namespace {

// Throws kWeightsFormat for a JSON file, with other advice than for a file of weights.
[[noreturn]] void refuse_json(Place place, std::string detail) {
  throw Error(ErrorKind::kWeightsFormat, std::move(place), std::move(detail))
      .advised("Correct the file, or use the file published with the model.");
}

class ConfigVisitor : public JsonVisitor {
 public:
  explicit ConfigVisitor(const std::string& file) : file_(file) {}

  void open(const JsonPath& path, bool is_object) override {
    if (path.empty() && !is_object) refuse();
  }
  void scalar(const JsonPath& path, JsonScalar value) override {
    if (path.empty()) refuse();
    if (path.size() != 1) return;
    const std::string& key = path[0].key;
    if (auto* text = std::get_if<std::string>(&value)) settings[key] = std::move(*text);
    if (const auto* flag = std::get_if<bool>(&value)) settings[key] = *flag;
    if (const auto* real = std::get_if<double>(&value)) settings[key] = *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) settings[key] = *whole;
    if (const auto* size = std::get_if<std::uint64_t>(&value)) {
      if (const auto small = narrow<std::int64_t>(*size)) settings[key] = *small;
    }
  }

  Settings settings;

 private:
  [[noreturn]] void refuse() const {
    refuse_json(Place{.file = file_}, "the file is not a JSON object with a model's settings");
  }

  const std::string& file_;
};

class IndexVisitor : public JsonVisitor {
 public:
  explicit IndexVisitor(const std::string& file) : file_(file) {}

  void scalar(const JsonPath& path, JsonScalar value) override {
    if (path.size() != 2 || path[0].key != "weight_map") return;
    const auto* name = std::get_if<std::string>(&value);
    if (name == nullptr || !is_file_name(*name)) {
      refuse_json(Place{.file = file_, .tensor = path[1].key},
                  "the index has no usable file name for this tensor");
    }
    names.insert(*name);
  }

  std::set<std::string> names;

 private:
  const std::string& file_;
};

Settings::const_iterator first_of(const Settings& settings,
                                  std::initializer_list<std::string_view> names) {
  auto found = settings.end();
  for (const std::string_view name : names) {
    if (found == settings.end()) found = settings.find(name);
  }
  return found;
}

template <typename T>
constexpr std::string_view kWanted = "text";
template <>
constexpr std::string_view kWanted<std::int64_t> = "a whole number";
template <>
constexpr std::string_view kWanted<double> = "a number";
template <>
constexpr std::string_view kWanted<bool> = "true or false";

template <typename T>
std::optional<T> typed_setting(const Settings& settings, const std::string& file,
                               std::initializer_list<std::string_view> names) {
  const auto setting = first_of(settings, names);
  if (setting == settings.end()) return std::nullopt;
  const T* value = std::get_if<T>(&setting->second);
  if (value != nullptr) return *value;
  throw Error(ErrorKind::kWeightsFormat, Place{.file = file},
              fmt::format("the setting {} must be {}", setting->first, kWanted<T>))
      .advised("Correct the setting, or use the published file.");
}

}  // namespace

Settings parse_model_config(std::string_view json, const std::string& file) {
  ConfigVisitor visitor(file);
  walk_json(json, file, visitor);
  return std::move(visitor.settings);
}

std::vector<std::string> parse_shard_index(std::string_view json, const std::string& file) {
  IndexVisitor visitor(file);
  walk_json(json, file, visitor);
  if (visitor.names.empty()) refuse_json(Place{.file = file}, "the index has no weight_map");
  return {visitor.names.begin(), visitor.names.end()};
}

std::optional<std::int64_t> whole_setting(const Settings& settings, const std::string& file,
                                          std::initializer_list<std::string_view> names) {
  return typed_setting<std::int64_t>(settings, file, names);
}

std::optional<double> real_setting(const Settings& settings, const std::string& file,
                                   std::initializer_list<std::string_view> names) {
  const auto setting = first_of(settings, names);
  if (setting == settings.end()) return std::nullopt;
  const auto* whole = std::get_if<std::int64_t>(&setting->second);
  return whole != nullptr ? static_cast<double>(*whole)
                          : typed_setting<double>(settings, file, names);
}

std::optional<bool> flag_setting(const Settings& settings, const std::string& file,
                                 std::initializer_list<std::string_view> names) {
  return typed_setting<bool>(settings, file, names);
}

std::string_view name_in(const Settings& settings, std::initializer_list<std::string_view> names) {
  const auto setting = first_of(settings, names);
  return setting == settings.end() ? std::string_view() : setting->first;
}

void expect_setting(const Settings& settings, const std::string& file, std::string_view name,
                    std::string_view expected) {
  const auto text = typed_setting<std::string>(settings, file, {name});
  if (text && *text != expected) {
    throw Error(ErrorKind::kWeightsFormat, Place{.file = file},
                fmt::format("the setting {} is \"{}\", expected \"{}\"", name, *text, expected))
        .advised(kOtherModelAdvice);
  }
}

}  // namespace virnucpro
