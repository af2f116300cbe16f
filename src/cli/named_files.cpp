#include "cli/named_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "sequence/open_input.hpp"
#include "weights/write_weights.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// Values of OptionRow::value: an option or argument with one of these may name an input file.
constexpr std::array<std::string_view, 10> kRead{
    "FILE", "FILE|none", "DIR|FILE",   "INPUT",   "ALIGNMENTS",
    "A",    "B",         "CLASSIFIER", "DNABERT", "ESM"};

// Returns the file that a path leads to, through links. The file may not exist yet.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path whole = followed(path).back();
  return fs::weakly_canonical(whole.parent_path(), error) / whole.filename();
}

// Returns a text that is equal for all paths of one file; empty for a folder, terminal or pipe.
std::string identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return resolved(path).string();
  return S_ISREG(status.st_mode) ? fmt::format("{}:{}", status.st_dev, status.st_ino) : "";
}

// Returns the file that the value of a row names; empty if this value names none.
std::string file_in(const OptionRow& row, const std::string& value) {
  return value.starts_with(row.before_file) ? value.substr(row.before_file.size()) : "";
}

// The source of a path: an option, an argument, or a key of the configuration.
struct Giver {
  std::string name;
  std::span<const std::string> written;  // OptionRow::written; empty for an input
  bool is_model = false;                 // true: the path of a model
};

class NamedFiles {
 public:
  void add(const OptionRow& row) {
    const bool is_model = row.value == "DNABERT" || row.value == "ESM";
    const bool is_read =
        !row.before_file.empty() || std::ranges::find(kRead, row.value) != kRead.end();
    if (row.written.empty() && !is_read) return;
    const Giver giver{row.names.back(), row.written, is_model};
    if (const auto* const* value = std::get_if<std::string*>(&row.target)) {
      add(giver, file_in(row, **value));
    }
    if (const auto* const* values = std::get_if<std::vector<std::string>*>(&row.target)) {
      for (const std::string& value : **values) add(giver, value);
    }
  }

  // Adds the file that a key of the configuration names, by its path or by its name in
  // `models_dir`, if the file exists.
  void add(const ConfigKey& key, const Config& config, const fs::path& models_dir) {
    if (!key.used || key.type != ConfigType::kText || !config.text(key.name)) return;
    const std::string value = *config.text(key.name);
    const Giver giver{
        fmt::format("{} of the configuration", key.name), {}, key.name.starts_with("features.")};
    for (const fs::path& path : {fs::path(value), models_dir / value}) {
      std::error_code unknown;
      if (fs::exists(path, unknown)) add(giver, path.string());
    }
  }

  // Refuses outputs in a model's folder, because any file in the folder may be read.
  void require_models_kept() const {
    for (const Named& model : models_) {
      for (const Named& file : written_) {
        std::error_code unknown;
        const fs::path folder = resolved(file.path).parent_path();
        if (!fs::equivalent(folder, model.path, unknown)) continue;
        fail_usage(fmt::format("{} {}: it lies in the model folder of {}; name a file elsewhere",
                               file.giver.name, printable(file.path), model.giver.name));
      }
    }
  }

 private:
  struct Named {
    Giver giver;
    std::string path;
  };

  void add(const Giver& giver, const std::string& value) {
    if (value == "-" && giver.written.empty()) add_file(giver, kStandardInputFile, value);
    if (value.empty() || value == "-") return;
    for (const std::string& ending : giver.written) {
      const std::string path = value + ending;
      if (!add_file(giver, path, path)) continue;
      add_file(giver, AtomicFile::partial_name(path), path);
      written_.push_back({.giver = giver, .path = path});
    }
    if (!giver.written.empty()) return;
    std::error_code unknown;
    add_file(giver, value, value);
    if (!giver.is_model) return;
    if (fs::is_directory(value, unknown)) models_.push_back({.giver = giver, .path = value});
    // Adds the model's files, which are in the folder `value` or beside the file `value`.
    const fs::path folder =
        fs::is_directory(value, unknown) ? fs::path(value) : fs::path(value).parent_path();
    for (const char* name : kModelFiles) {
      const std::string file = (folder / name).string();
      if (fs::exists(file, unknown)) add_file(giver, file, file);
    }
  }

  // Adds a file; messages call it `path`. Returns false if it is a folder, terminal or pipe.
  bool add_file(const Giver& giver, const std::string& file, const std::string& path) {
    const std::string id = identity(file);
    if (id.empty()) return false;
    const Named one{.giver = giver, .path = path};
    const auto [found, is_new] = files_.try_emplace(id, one);
    const Named& other = found->second;
    const bool is_output = !giver.written.empty();
    if (is_new || (!is_output && other.giver.written.empty())) return true;
    fail(is_output ? one : other, is_output ? other : one);
  }

  [[noreturn]] static void fail(const Named& written, const Named& other) {
    fail_usage(fmt::format(
        "{} {}: it is the same file as {} {}, which would be lost; name another file",
        written.giver.name, printable(written.path), other.giver.name, printable(other.path)));
  }

  std::map<std::string, Named> files_;
  std::vector<Named> written_;
  std::vector<Named> models_;  // only the models that are folders
};

}  // namespace

void require_distinct_files(const Command& program, const Config& config,
                            const Environment& environment) {
  NamedFiles files;
  for (const OptionRow& row : program.options) files.add(row);
  const Command& command = chosen_command(program);
  for (const OptionRow& row : command.arguments) files.add(row);
  for (const OptionRow& row : command.options) files.add(row);
  if (const OptionRow* row = command.find_option("--models-dir")) {
    const std::string& given = *std::get<std::string*>(row->target);
    const fs::path models_dir = models_dir_name(given, config, environment);
    for (const ConfigKey& key : config_keys()) files.add(key, config, models_dir);
  }
  files.require_models_kept();
}

}  // namespace virnucpro
