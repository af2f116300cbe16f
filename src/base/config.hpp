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
// from ours. A section that has only keys without effect may also have any value. A plain value for
// any other section is an error; otherwise `checkpointing: off` would be ignored silently.
enum class ConfigType : std::uint8_t { kText, kBool, kCount, kCountOrAuto, kNumber };

struct ConfigKey {
  std::string_view name;  // with dots: "prediction.models.500"
  ConfigType type;
  std::string_view fallback;  // the default, as YAML
  std::string_view comment;   // one line; for a key without effect, the reason
  bool used;                  // false: a key of v2, accepted without effect
  bool is_warned = false;     // true: a warning, not a note, says that the key has no effect
};

// Returns every key: the keys of v2 (another rewrite of VirNucPro), then those under "run".
std::span<const ConfigKey> config_keys();

// Returns the text of a file with every key, its default and its comment. Keys without effect come
// last and are commented out.
std::string default_config();

// The settings of a configuration file. A key with a null value counts as not set. A file has at
// most kMaxConfigBytes, eight levels, one document. Aliases, and a key with effect that is set
// twice, are errors.
class Config {
 public:
  Config() = default;  // no key is set

  // Errors: kConfig, with file, line and key, also for a value of the wrong type.
  static Config read(const std::filesystem::path& path);
  static Config parse(const std::string& text, const std::string& file);

  // These return a key's value; empty if the file does not set the key. Errors: kInternal if
  // config_keys() has no key of this name and type.
  std::optional<std::string> text(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;
  std::optional<std::uint64_t> count(std::string_view name) const;  // empty for "auto", too
  std::optional<double> number(std::string_view name) const;
  // These return the value, or `fallback` if the key is not set. Errors: kConfig if out of bounds.
  std::uint64_t count_in(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                         std::uint64_t most) const;
  double number_in(std::string_view name, double fallback, double least, double most) const;

  // Makes the error for a value of the right type that this key does not allow.
  Error wrong_value(std::string_view name, const std::string& expected) const;

  // Returns warnings about unknown keys and about keys with ConfigKey::is_warned.
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
