#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "journal/run_files.hpp"
#include "run/input_check.hpp"

namespace virnucpro {
namespace {

bool lies_in(const std::string& path, const std::filesystem::path& directory) {
  std::error_code unknown;
  const auto whole = [&](const std::filesystem::path& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, unknown), unknown);
  };
  const auto within = whole(path).lexically_relative(whole(directory));
  return !within.empty() && *within.begin() != "..";
}

bool holds_run(const std::filesystem::path& directory) {
  return is_there(run_files::kJournal.in(directory)) ||
         is_there(run_files::kOwnFiles.in(directory));
}

// Refuses a path in a run's folder that has the name of a run's own file, whether the file exists
// or not. Not even --force replaces such a file.
void require_no_run_file(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(whole.parent_path(), unknown);
  const std::string name = whole.filename().string();
  const bool is_in_run = has_name_of_run_file(name) && holds_run(folder);
  const bool is_in_folder =
      holds_run(folder.parent_path()) && is_run_file(folder.filename().string(), name);
  if (!is_in_run && !is_in_folder) return;
  throw Error(
      ErrorKind::kUsage,
      fmt::format(
          "--output {}: a run's directory reserves this name for the run's own file; name a file "
          "elsewhere",
          path));
}

// True if a name leads, by any number of links, to an open file of some process (/dev/stdout). A
// new file in that place would break other programs.
bool stands_for_open_file(const std::string& name) {
  return std::ranges::any_of(followed(name), [](const std::filesystem::path& path) {
    std::error_code unknown;
    const auto folder = std::filesystem::weakly_canonical(path.parent_path(), unknown);
    return folder == "/dev" || folder.string().starts_with("/proc/");
  });
}

}  // namespace

std::vector<std::filesystem::path> followed(const std::filesystem::path& path) {
  constexpr std::size_t kMostLinks = 40;  // the kernel's own limit
  std::error_code error;
  std::vector<std::filesystem::path> steps{std::filesystem::absolute(path, error)};
  while (steps.size() <= kMostLinks && std::filesystem::is_symlink(steps.back(), error)) {
    steps.push_back(steps.back().parent_path() /
                    std::filesystem::read_symlink(steps.back(), error));
  }
  return steps;
}

bool has_name_of_run_file(const std::string& name) {
  return is_run_file({}, name) || run_files::kFrameTable.matches(name) ||
         run_files::kConsensusTable.matches(name) || run_files::kOwnFiles.matches(name) ||
         name.starts_with(run_files::kJournal.name) ||  // SQLite's files beside the journal
         run_files::kLock.matches(name) || run_files::kLockAside.matches(name);
}

void check_output_file(const std::string& path, bool force) {
  if (path == "-") fail_usage("--output -: a file is needed, not stdout");
  require_no_run_file(path);
  if (is_log_file(path)) fail_usage(fmt::format("{} is the log file; name another file", path));
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status) || stands_for_open_file(path)) {
    fail_usage(fmt::format("{} is not a regular file; name another file", path));
  }
  if (!force) throw Error(ErrorKind::kOutputExists, Place{.file = path}, {});
}

Existing choose_existing(bool force, bool resume) {
  if (resume && force) {
    fail_usage("--force starts anew and --resume goes on: give only one of them");
  }
  if (resume) return Existing::kResume;
  return force ? Existing::kReplace : Existing::kRefuse;
}

void require_folder_name(const std::string& output) {
  if (output != "-") return;
  fail_usage("--output -: a directory is needed, not stdout");
}

void check_output_folder(const std::string& folder, std::span<const char* const> names,
                         bool force) {
  const std::filesystem::path path = folder;
  std::error_code other;
  if (std::filesystem::exists(path, other) && !std::filesystem::is_directory(path, other)) {
    fail_usage(fmt::format("--output {}: expected a directory", folder));
  }
  for (const char* name : names) check_output_file(path / name, force);
}

std::vector<std::string> names_in_folder(std::span<const char* const> names) {
  std::vector<std::string> found;
  for (const char* name : names) found.push_back(fmt::format("/{}", name));
  return found;
}

FolderFiles::FolderFiles(const std::filesystem::path& folder, std::span<const char* const> names) {
  for (const char* name : names) files_.emplace_back(folder / name);
}

void FolderFiles::write(const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < files_.size(); ++i) files_[i].write(texts.at(i));
  commit_together(files_);
}

void require_elsewhere(std::string_view flag, const std::string& path,
                       const std::filesystem::path& output) {
  if (output.empty() || !lies_in(path, output)) return;
  fail_usage(
      fmt::format("{} {}: only the run's own files may lie in the output directory; name a "
                  "file elsewhere",
                  flag, path));
}

void check_own_file(const OwnFile& own, const std::filesystem::path& output) {
  require_elsewhere(own.flag, own.path, output);
  std::error_code ignored;  // on an error, writing the file will fail
  if (!std::filesystem::exists(own.path, ignored)) return;
  if (std::filesystem::is_regular_file(own.path, ignored) && !stands_for_open_file(own.path) &&
      beginning_of(own.path, own.start.size()) == own.start) {
    return;
  }
  fail_usage(
      fmt::format("{} {}: the file exists and is not a {} file of this program; name another file",
                  own.flag, own.path, own.what));
}

void print_stdout(std::string_view text) {
  write_stdout(printable_lines(text));
}

void write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return;
  throw Error(
      ErrorKind::kOutputWrite, Place{.file = std::string(kStandardOutput)},
      error == EPIPE ? "the program that reads this output has closed it" : errno_text(error));
}

}  // namespace virnucpro
