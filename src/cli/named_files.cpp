#include "cli/named_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// The values that may name a file to read, as OptionRow::value has them.
constexpr std::array<std::string_view, 10> kRead{
    "FILE", "FILE|none", "DIR|FILE",   "INPUT",   "ALIGNMENTS",
    "A",    "B",         "CLASSIFIER", "DNABERT", "ESM"};

// Where a path leads to: a link may lead to a file that is not there yet.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path whole = followed(path).back();
  return fs::weakly_canonical(whole.parent_path(), error) / whole.filename();
}

// Equal for two paths of one file. Empty for what keeps nothing: a folder, a terminal, a pipe.
std::string identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return resolved(path).string();
  return S_ISREG(status.st_mode) ? fmt::format("{}:{}", status.st_dev, status.st_ino) : "";
}

class NamedFiles {
 public:
  void add(const OptionRow& row) {
    if (const auto* const* value = std::get_if<std::string*>(&row.target)) add(row, **value);
    if (const auto* const* values = std::get_if<std::vector<std::string>*>(&row.target)) {
      for (const std::string& value : **values) add(row, value);
    }
  }

  // Any file of a model's folder may be read.
  void require_models_kept() const {
    for (const Named& model : models_) {
      for (const Named& file : written_) {
        std::error_code unknown;
        const fs::path folder = resolved(file.path).parent_path();
        if (!fs::equivalent(folder, model.path, unknown)) continue;
        fail_usage(fmt::format("{} {}: it lies in the model of {}; name a file elsewhere",
                               file.row->names.back(), printable(file.path),
                               model.row->names.back()));
      }
    }
  }

 private:
  struct Named {
    const OptionRow* row;
    std::string path;
  };

  void add(const OptionRow& row, const std::string& value) {
    if (value.empty() || value == "-") return;
    for (const std::string& ending : row.written) {
      const std::string path = value + ending;
      if (!add_file(row, path, path)) continue;
      add_file(row, AtomicFile::partial_name(path), path);
      written_.push_back({.row = &row, .path = path});
    }
    if (!row.written.empty() || std::ranges::find(kRead, row.value) == kRead.end()) return;
    std::error_code unknown;
    add_file(row, value, value);
    if (is_model(row) && fs::is_directory(value, unknown)) {
      models_.push_back({.row = &row, .path = value});
    }
  }

  static bool is_model(const OptionRow& row) {
    return row.value == "DNABERT" || row.value == "ESM";
  }

  // Whether the path may be that of a file to keep. `path`: as the message shows it.
  bool add_file(const OptionRow& row, const std::string& file, const std::string& path) {
    const std::string id = identity(file);
    if (id.empty()) return false;
    const auto [found, is_new] = files_.try_emplace(id, Named{.row = &row, .path = path});
    const Named& other = found->second;
    if (is_new || (row.written.empty() && other.row->written.empty())) return true;
    const Named one{.row = &row, .path = path};
    const bool is_output = !row.written.empty();
    fail(is_output ? one : other, is_output ? other : one);
  }

  [[noreturn]] static void fail(const Named& written, const Named& other) {
    fail_usage(
        fmt::format("{} {}: it is the same file as {} {}, which would be lost; name another one",
                    written.row->names.back(), printable(written.path), other.row->names.back(),
                    printable(other.path)));
  }

  std::map<std::string, Named> files_;
  std::vector<Named> written_;
  std::vector<Named> models_;  // that are folders
};

}  // namespace

void require_distinct_files(const Command& program) {
  NamedFiles files;
  for (const OptionRow& row : program.options) files.add(row);
  const Command& command = chosen_command(program);
  for (const OptionRow& row : command.arguments) files.add(row);
  for (const OptionRow& row : command.options) files.add(row);
  files.require_models_kept();
}

}  // namespace virnucpro
