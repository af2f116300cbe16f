#include "run/output_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/log.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kCompressionSuffixes{".gz", ".bgz", ".bgzf"};
constexpr std::array<std::string_view, 11> kFormatSuffixes{
    ".fa", ".fasta", ".fna", ".ffn", ".frn", ".fas", ".fq", ".fastq", ".sam", ".bam", ".cram"};

[[noreturn]] void fail_write(const fs::path& path, const std::error_code& error) {
  throw write_error(path, error.value());
}

void remove_file(const fs::path& path) {
  std::error_code error;
  if (!fs::remove(path, error) && error) fail_write(path, error);
}

std::vector<fs::path> entries(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    paths.push_back(at->path());
  }
  if (error) fail_write(directory, error);
  return paths;
}

// Adds this program's files in `root`/`folder`. Folders and links with such names are not ours.
void add_own_files(const fs::path& root, const std::string& folder, std::vector<fs::path>& files) {
  const fs::path directory = folder.empty() ? root : root / folder;
  for (const fs::path& path : entries(directory)) {
    if (!is_run_file(folder, path.filename().string())) continue;
    if (fs::is_regular_file(fs::symlink_status(path))) files.push_back(path);
  }
}

// The folders of `root` that may hold this program's files, and "" for `root` itself. No links:
// they lead outside `root`.
std::vector<std::string> own_folders(const fs::path& root) {
  std::vector<std::string> folders;
  for (const fs::path& path : entries(root)) {
    std::string name = path.filename().string();
    const bool is_folder = fs::is_directory(fs::symlink_status(path));
    if (is_folder && is_run_folder(name)) folders.push_back(std::move(name));
  }
  folders.emplace_back();
  return folders;
}

std::vector<fs::path> own_files(const fs::path& root) {
  std::vector<fs::path> files;
  for (const std::string& folder : own_folders(root)) add_own_files(root, folder, files);
  return files;
}

// A run is unfinished while it has a journal but no tables, which are written last.
bool holds_unfinished_run(const fs::path& directory) {
  std::error_code unknown;
  return fs::exists(run_files::kJournal.in(directory), unknown) &&
         !fs::exists(run_files::kSequenceTable.in(directory), unknown);
}

// The log file of --log-file exists before the directory is checked, and may be in it.
bool holds_log_alone(const fs::path& path) {
  if (!fs::is_directory(fs::symlink_status(path))) return is_log_file(path);
  const std::vector<fs::path> inner = entries(path);
  return !inner.empty() && std::all_of(inner.begin(), inner.end(), holds_log_alone);
}

[[noreturn]] void fail_in_use(const fs::path& directory, const std::string& name) {
  throw Error(
      ErrorKind::kOutputExists, Place{.file = directory.string()},
      fmt::format("it holds {}{}", name,
                  holds_unfinished_run(directory)
                      ? "; an earlier run there did not finish: predict --resume goes on with it"
                      : ""));
}

void require_empty(const fs::path& directory) {
  for (const fs::path& path : entries(directory)) {
    if (path.filename() == run_files::kLock.name || holds_log_alone(path)) continue;
    fail_in_use(directory, path.filename().string());
  }
}

bool is_table(const fs::path& path) {
  const std::string folder = path.parent_path().filename().string();
  return run_files::kTableFolder.matches(folder) && !is_incomplete(path.filename().string());
}

// Accepts the files of a run that was killed before it had a journal. Refuses tables without a
// journal: they come from a run that kept none.
void require_resumable(const fs::path& directory) {
  if (fs::exists(run_files::kJournal.in(directory))) return;
  for (const fs::path& path : own_files(directory)) {
    if (is_table(path)) fail_in_use(directory, path.lexically_relative(directory).string());
  }
  for (const fs::path& path : entries(directory)) {
    const std::string name = path.filename().string();
    if (name == run_files::kLock.name || is_run_file("", name) || is_run_folder(name)) continue;
    if (holds_log_alone(path)) continue;
    fail_in_use(directory, name);
  }
}

// Removes the first of `suffixes` that the name ends with, unless nothing would be left.
void strip_suffix(std::string& name, std::span<const std::string_view> suffixes) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const std::string_view suffix : suffixes) {
    if (lower.size() <= suffix.size() || !lower.ends_with(suffix)) continue;
    name.erase(name.size() - suffix.size());
    return;
  }
}

}  // namespace

OutputDirectory::OutputDirectory(std::filesystem::path path, std::string stem, Existing existing)
    : path_(std::move(path)), stem_(std::move(stem)) {
  make_directory(path_);
  lock_.emplace(Directory(path_),
                existing == Existing::kReplace ? TakeOver::kForced : TakeOver::kOfTheDead);
  if (existing == Existing::kRefuse) require_empty(path_);
  if (existing == Existing::kResume) require_resumable(path_);
}

OutputDirectory::~OutputDirectory() = default;

void OutputDirectory::clear() const {
  // The journal goes last: if clearing is interrupted, the run can still be resumed.
  std::vector<fs::path> files = own_files(path_);
  std::stable_partition(files.begin(), files.end(), [](const fs::path& path) {
    return path.filename() != run_files::kJournal.name;
  });
  for (const fs::path& path : files) remove_file(path);
  for (const std::string& folder : own_folders(path_)) {
    std::error_code still_used;  // it holds files that are not ours
    if (!folder.empty()) fs::remove(path_ / folder, still_used);
  }
}

void OutputDirectory::clear_leftovers() const {
  for (const fs::path& path : own_files(path_)) {
    if (is_incomplete(path.filename().string())) remove_file(path);
  }
}

bool OutputDirectory::would_clear(const std::filesystem::path& file) const {
  const std::vector<fs::path> files = own_files(path_);
  return std::any_of(files.begin(), files.end(), [&file](const fs::path& own) {
    std::error_code other;  // a file that cannot be examined is none of ours
    return fs::equivalent(own, file, other);
  });
}

std::string output_stem(const std::string& input) {
  if (input == "-") return "stdin";
  std::string name = std::filesystem::path(input).filename().string();
  strip_suffix(name, kCompressionSuffixes);
  strip_suffix(name, kFormatSuffixes);
  return name;
}

}  // namespace virnucpro
