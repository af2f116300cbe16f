#include "base/config.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/text.hpp"
#include "base/text_file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kMaxWarnings = 20;
constexpr std::size_t kShownName = 80;

const ConfigKey* find_key(std::string_view name) {
  const auto keys = config_keys();
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [name](const ConfigKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

// Returns the key of this name, else the nearest key above it, because a file may have further keys
// below a key without effect.
const ConfigKey* find_key_of(std::string_view name) {
  for (std::string_view key = name;; key = key.substr(0, key.rfind('.'))) {
    if (const ConfigKey* found = find_key(key)) return found;
    if (key.find('.') == std::string_view::npos) return nullptr;
  }
}

bool lies_under(std::string_view name, std::string_view section) {
  return name.size() > section.size() && name.starts_with(section) && name[section.size()] == '.';
}

// True if a key with effect lies below this name.
bool is_section(std::string_view name) {
  const auto keys = config_keys();
  return std::any_of(keys.begin(), keys.end(), [name](const ConfigKey& key) {
    return key.used && lies_under(key.name, name);
  });
}

// True if a file may give this name any value: this name, a key above it, or all keys below it have
// no effect.
bool is_without_effect(std::string_view name) {
  const ConfigKey* key = find_key_of(name);
  if (key != nullptr) return !key->used;
  const auto keys = config_keys();
  return !is_section(name) && std::any_of(keys.begin(), keys.end(), [name](const ConfigKey& below) {
    return lies_under(below.name, name);
  });
}

std::string_view describe(ConfigType type) {
  switch (type) {
    case ConfigType::kText:
      return "text";
    case ConfigType::kBool:
      return "true or false";
    case ConfigType::kCount:
      return "a whole number, 0 or more";
    case ConfigType::kCountOrAuto:
      return "a whole number, 0 or more, or auto";
    case ConfigType::kNumber:
      return "a number";
  }
  return "";
}

bool is_of_type(ConfigType type, const std::string& value) {
  switch (type) {
    case ConfigType::kText:
      return true;
    case ConfigType::kBool:
      return parse_bool(value).has_value();
    case ConfigType::kCount:
      return parse_count(value).has_value();
    case ConfigType::kCountOrAuto:
      return value == "auto" || parse_count(value).has_value();
    case ConfigType::kNumber:
      return parse_number(value).has_value();
  }
  return false;
}

Error config_error(const std::string& file, int line, const std::string& detail) {
  return Error(ErrorKind::kConfig, Place{.file = file}, fmt::format("line {}: {}", line, detail));
}

std::string shown_name(std::string_view text) {
  return std::string(text.substr(0, kShownName));
}

// Receives the parser's events, so that no tree of the file is built: aliases are refused before
// they are expanded, and a file with too many levels is refused at once.
class Collector final : public YAML::EventHandler {
 public:
  explicit Collector(const std::string& file) : file_(file) {}

  std::map<std::string, Config::Setting, std::less<>> settings;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) fail(mark, "a second document begins here (---); only one is accepted");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (levels_.empty()) return;  // an empty file
    Level& level = levels_.back();
    if (level.is_map && !level.key) fail(mark, "a key is missing");
    level.key.reset();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    fail(mark, "aliases (*NAME) are not accepted: repeat the value");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    if (levels_.empty()) fail(mark, "expected KEY: VALUE, found text without a key");
    Level& level = levels_.back();
    if (!level.is_map) {
      settings[level.name].values.push_back(value);
    } else if (!level.key) {
      level.key = value;
    } else {
      add(mark, next_name(), {.values = {value}, .line = mark.line + 1});
      level.key.reset();
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    if (levels_.empty()) fail(mark, "expected KEY: VALUE, found a list");
    open(mark, false);
    add(mark, levels_.back().name, {.values = {}, .line = mark.line + 1});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    std::string name;  // with dots, as in ConfigKey
    bool is_map = false;
    std::optional<std::string> key;  // the key of the next value
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& detail) const {
    throw config_error(file_, mark.line + 1, detail);
  }

  // Returns the dotted name of the next value.
  std::string next_name() const {
    if (levels_.empty()) return {};
    const Level& level = levels_.back();
    if (!level.is_map) return level.name;
    return level.name.empty() ? *level.key : level.name + "." + *level.key;
  }

  void open(const YAML::Mark& mark, bool is_map) {
    if (levels_.size() >= kMaxDepth) {
      fail(mark, fmt::format("nested deeper than {} levels", kMaxDepth));
    }
    if (!levels_.empty()) {
      const Level& level = levels_.back();
      if (level.is_map && !level.key) fail(mark, "a key must be plain text");
    }
    const std::string name = next_name();
    const ConfigKey* key = find_key(name);
    if (key != nullptr && key->used) {
      fail(mark,
           fmt::format("{}: expected {}, not a list or further keys", name, describe(key->type)));
    }
    levels_.push_back({name, is_map, std::nullopt});
  }

  void close() {
    levels_.pop_back();
    if (!levels_.empty()) levels_.back().key.reset();
  }

  // Adds a setting. Refuses a key with effect that occurs twice.
  void add(const YAML::Mark& mark, const std::string& name, Config::Setting setting) {
    const bool is_new = settings.emplace(name, std::move(setting)).second;
    const ConfigKey* key = find_key(name);
    if (!is_new && key != nullptr && key->used) fail(mark, fmt::format("{} is set twice", name));
  }

  const std::string& file_;
  std::vector<Level> levels_;
  int documents_ = 0;
};

}  // namespace

Config Config::read(const std::filesystem::path& path) {
  return parse(read_small_text(path, kMaxConfigBytes, ErrorKind::kConfig), path.string());
}

Config Config::parse(const std::string& text, const std::string& file) {
  Collector collector(file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(collector)) {
    }
  } catch (const YAML::Exception& error) {
    throw config_error(file, error.mark.line + 1, error.msg);
  }
  Config config;
  config.file_ = file;
  config.settings_ = std::move(collector.settings);
  for (const auto& [name, setting] : config.settings_) config.check(name, setting);
  for (const ConfigKey& key : config_keys()) {
    if (!key.used) config.note_without_effect(key);
  }
  return config;
}

void Config::check(const std::string& name, const Setting& setting) {
  if (is_without_effect(name)) {
    if (find_key_of(name) == nullptr) note_section(name, setting);
    return;
  }
  const ConfigKey* key = find_key(name);
  if (key == nullptr) {
    if (is_section(name))
      throw config_error(file_, setting.line, name + ": expected keys under it, not a value");
    warn_unknown(name, setting);
    return;
  }
  const std::string& value = setting.values.front();  // open() has refused lists
  if (!is_of_type(key->type, value)) {
    throw config_error(
        file_, setting.line,
        fmt::format("{}: expected {}, found \"{}\"", name, describe(key->type), shown_name(value)));
  }
}

// Adds a note: the file gives a plain value to a section that has only keys without effect.
void Config::note_section(const std::string& name, const Setting& setting) {
  notes_.push_back(fmt::format("{}: line {}: {} has no effect here: none of its keys has an effect",
                               file_, setting.line, name));
}

// Adds one line about a key without effect, even if the file has several values below the key.
void Config::note_without_effect(const ConfigKey& key) {
  const std::string below = fmt::format("{}.", key.name);
  auto found = settings_.find(key.name);
  if (found == settings_.end()) found = settings_.lower_bound(below);
  if (found == settings_.end() || (found->first != key.name && !found->first.starts_with(below))) {
    return;
  }
  std::vector<std::string>& said = key.is_warned ? warnings_ : notes_;
  said.push_back(fmt::format("{}: line {}: {} has no effect here: {}", file_, found->second.line,
                             key.name, key.comment));
}

void Config::warn_unknown(const std::string& name, const Setting& setting) {
  if (warnings_.size() > kMaxWarnings) return;
  if (warnings_.size() == kMaxWarnings) {
    warnings_.push_back(fmt::format("{}: more unknown keys are not listed", file_));
    return;
  }
  std::vector<std::string_view> names;
  for (const ConfigKey& key : config_keys()) names.push_back(key.name);
  warnings_.push_back(fmt::format("{}: line {}: unknown key {}{}", file_, setting.line,
                                  shown_name(name), did_you_mean(name, names)));
}

const Config::Setting* Config::find(std::string_view name, ConfigType type) const {
  const ConfigKey* key = find_key(name);
  const bool fits =
      key != nullptr &&
      (key->type == type || (type == ConfigType::kCount && key->type == ConfigType::kCountOrAuto));
  if (!fits) throw Error(ErrorKind::kInternal, fmt::format("no such configuration key: {}", name));
  const auto found = settings_.find(name);
  return found == settings_.end() ? nullptr : &found->second;
}

std::optional<std::string> Config::text(std::string_view name) const {
  const Setting* setting = find(name, ConfigType::kText);
  if (setting == nullptr) return std::nullopt;
  return setting->values.front();
}

std::optional<bool> Config::flag(std::string_view name) const {
  const Setting* setting = find(name, ConfigType::kBool);
  if (setting == nullptr) return std::nullopt;
  return parse_bool(setting->values.front());
}

std::optional<std::uint64_t> Config::count(std::string_view name) const {
  const Setting* setting = find(name, ConfigType::kCount);
  if (setting == nullptr) return std::nullopt;
  return parse_count(setting->values.front());
}

std::optional<double> Config::number(std::string_view name) const {
  const Setting* setting = find(name, ConfigType::kNumber);
  if (setting == nullptr) return std::nullopt;
  return parse_number(setting->values.front());
}

std::uint64_t Config::count_in(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                               std::uint64_t most) const {
  const std::optional<std::uint64_t> set = count(name);
  if (!set) return fallback;
  if (*set >= least && *set <= most) return *set;
  throw wrong_value(name, fmt::format("a whole number from {} to {}", least, most));
}

double Config::number_in(std::string_view name, double fallback, double least, double most) const {
  const double value = number(name).value_or(fallback);
  if (value >= least && value <= most) return value;
  throw wrong_value(name, fmt::format("a number from {:g} to {:g}", least, most));
}

Error Config::wrong_value(std::string_view name, const std::string& expected) const {
  const auto found = settings_.find(name);
  const std::string value =
      found == settings_.end() || found->second.values.empty() ? "" : found->second.values.front();
  return config_error(
      file_, found == settings_.end() ? 0 : found->second.line,
      fmt::format("{}: expected {}, found \"{}\"", name, expected, shown_name(value)));
}

}  // namespace virnucpro
