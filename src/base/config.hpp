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

// The type of a key with effect. A key without effect may have any value, as v2's types differ from
// ours, and so may a section of only such keys. A section with other keys may not: `checkpointing:
// off` would be lost without a word.
enum class ConfigType : std::uint8_t { kText, kBool, kCount, kCountOrAuto, kNumber };

// One key of the configuration file.
struct ConfigKey {
  std::string_view name;  // "prediction.models.500"
  ConfigType type;
  std::string_view fallback;  // as YAML; used when the key is not set
  std::string_view comment;   // one line; for a key without effect, why
  bool used;                  // false: a key of v2, accepted but without effect here
  bool is_warned = false;     // without effect, and users must know: a warning, not a note
};

// Every key: those of v2, then our own under "run".
std::span<const ConfigKey> config_keys();

// Returns a file with every key, its default and its comment. Keys without effect come last and are
// commented out.
std::string default_config();

// The settings of a configuration file. A key that is null counts as not set. Files are bounded: at
// most kMaxConfigBytes, eight levels deep, no aliases, no key with effect twice, one document.
class Config {
 public:
  Config() = default;  // sets nothing

  // Errors: kConfig, naming file, line and key, also for a value of the wrong type.
  static Config read(const std::filesystem::path& path);
  static Config parse(const std::string& text, const std::string& file);

  // Returns the value of a key; empty if the file does not set it. Errors: kInternal for a name or
  // type that is not in config_keys().
  std::optional<std::string> text(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;
  std::optional<std::uint64_t> count(std::string_view name) const;  // also empty for "auto"
  std::optional<double> number(std::string_view name) const;
  // Returns the value, or `fallback` if the file does not set it. Errors: kConfig out of bounds.
  std::uint64_t count_in(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                         std::uint64_t most) const;
  double number_in(std::string_view name, double fallback, double least, double most) const;

  // The error for a value of the right type that `name` cannot have.
  Error wrong_value(std::string_view name, const std::string& expected) const;

  // Warnings about unknown keys, and about a key without effect that users must know of.
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& notes() const { return notes_; }  // about keys without effect

  struct Setting {
    std::vector<std::string> values;  // one, or those of a list
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
