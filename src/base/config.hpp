#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

inline constexpr std::size_t kMaxConfigBytes = 1U << 20U;

// The type of a key with effect. A key without effect may have any value, because v2's types differ
// from ours. So may a section that has only keys without effect. Any other section must not have a
// plain value: `checkpointing: off` would be lost silently.
enum class ConfigType : std::uint8_t { kText, kBool, kCount, kCountOrAuto, kNumber };

// One key of the configuration file.
struct ConfigKey {
  std::string_view name;  // "prediction.models.500"
  ConfigType type;
  std::string_view fallback;  // the default, as YAML
  std::string_view comment;   // one line; the reason if the key has no effect
  bool used;                  // false: a key of v2, accepted without effect
  bool is_warned = false;     // true: a warning, not a note, says that it has no effect
};

// Returns every key: v2's keys, then those under "run".
std::span<const ConfigKey> config_keys();

// Returns a file with every key, its default and its comment. Keys without effect come last and are
// commented out.
std::string default_config();

// The settings of a configuration file. A null value counts as not set. A file has at most
// kMaxConfigBytes, eight levels and one document. It has no aliases, and no key with effect twice.
class Config {
 public:
  Config() = default;  // no key is set

  // Errors: kConfig names file, line and key, also for a value of the wrong type.
  static Config read(const std::filesystem::path& path);
  static Config parse(const std::string& text, const std::string& file);

  // Returns the value of a key; empty if the file does not set it. Errors: kInternal for a name or
  // type that is not in config_keys().
  std::optional<std::string> text(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;
  std::optional<std::uint64_t> count(std::string_view name) const;  // also empty for "auto"
  std::optional<double> number(std::string_view name) const;
  // Returns the value, or `fallback` if it is not set. Errors: kConfig if it is out of bounds.
  std::uint64_t count_in(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                         std::uint64_t most) const;
  double number_in(std::string_view name, double fallback, double least, double most) const;

  // Makes the error for a value of the right type that the key `name` cannot have.
  Error wrong_value(std::string_view name, const std::string& expected) const;

  // Returns warnings about unknown keys, and about keys with `is_warned`.
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& notes() const { return notes_; }  // about keys without effect

  struct Setting {
    std::vector<std::string> values;  // one value, or a list's values
    int line = 0;                     // 1-based
  };

 private:
  const Setting* find(std::string_view name, ConfigType type) const;
  void check(const std::string& name, const Setting& setting);
  void note_section(const std::string& name, const Setting& setting);
  void note_without_effect(const ConfigKey& key);
  void warn_unknown(const std::string& name, const Setting& setting);

  std::string file_;
  std::map<std::string, Setting, std::less<>> settings_;
  std::vector<std::string> warnings_;
  std::vector<std::string> notes_;
};

}  // namespace virnucpro
