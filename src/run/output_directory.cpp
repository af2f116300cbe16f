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

// A name this program writes, in the output directory or a folder in it. "*" stands for any text,
// such as the stem of an earlier run; "#" for digits.
struct OwnName {
  std::string_view folder;
  std::string_view pattern;
};

constexpr std::array kOwnNames{
    OwnName{"", "sequences.tsv"},
    OwnName{"", "virus.fasta"},
    OwnName{"", "failed_inputs.txt"},
    OwnName{"", "embeddings.h5"},
    OwnName{"", "run.db"},
    OwnName{"", "run.db-wal"},
    OwnName{"", "run.db-shm"},
    OwnName{"", "run.db-journal"},
    OwnName{"", "run.db.lock"},
    OwnName{"", "sequences.fasta.partial"},  // sequences saved by virus_fasta.cpp; never renamed
    OwnName{"", "SYNTHETIC_WEIGHTS"},
    OwnName{"", "PARTIAL"},
    OwnName{"", "report.html"},
    OwnName{"", "report.md"},
    OwnName{"", "report.json"},
    OwnName{"", "virnucpro_mqc.json"},
    OwnName{"", "virnucpro_scores_mqc.tsv"},
    OwnName{"", "telemetry_*.json"},
    OwnName{"", "telemetry_*.jsonl"},
    OwnName{"", "telemetry_*.h5"},
    OwnName{"", "*_chunked#.fa"},
    OwnName{"", "*_identified_nucleotide.fa"},
    OwnName{"", "*_identified_protein.faa"},
    OwnName{"", ".sort-*"},
    OwnName{"*_merged", "prediction_results.txt"},
    OwnName{"*_merged", "prediction_results_highestscore.csv"},
    OwnName{"logs", "virnucpro.log"},
    OwnName{"logs", "gpu_metrics_*.log"},
};

constexpr std::array<std::string_view, 3> kCompressionSuffixes{".gz", ".bgz", ".bgzf"};
constexpr std::array<std::string_view, 11> kFormatSuffixes{
    ".fa", ".fasta", ".fna", ".ffn", ".frn", ".fas", ".fq", ".fastq", ".sam", ".bam", ".cram"};
constexpr std::string_view kJournalName = "run.db";
constexpr std::string_view kMergedSuffix = "_merged";
constexpr std::string_view kSpillPrefix = ".sort-";
constexpr std::string_view kPartial = ".partial";  // AtomicFile's suffix for incomplete files

[[noreturn]] void fail_write(const fs::path& path, const std::error_code& error) {
  throw write_error(path, error.value());
}

void remove_file(const fs::path& path) {
  std::error_code error;
  if (!fs::remove(path, error) && error) fail_write(path, error);
}

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  const std::string_view rest = pattern.substr(1);
  if (pattern.front() == '*') {
    for (std::size_t at = 0; at <= name.size(); ++at) {
      if (matches(name.substr(at), rest)) return true;
    }
    return false;
  }
  if (pattern.front() == '#') {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    return digits > 0 && matches(name.substr(digits), rest);
  }
  return !name.empty() && name.front() == pattern.front() && matches(name.substr(1), rest);
}

bool is_own(std::string_view folder, std::string_view name) {
  std::string_view complete = name;
  if (name.ends_with(kPartial)) complete.remove_suffix(kPartial.size());
  return std::any_of(kOwnNames.begin(), kOwnNames.end(), [&](const OwnName& own) {
    return matches(folder, own.folder) &&
           (matches(name, own.pattern) || matches(complete, own.pattern));
  });
}

bool is_own_folder(std::string_view name) {
  return std::any_of(kOwnNames.begin(), kOwnNames.end(),
                     [name](const OwnName& own) { return matches(name, own.folder); });
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
    if (!is_own(folder, path.filename().string())) continue;
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
    if (is_folder && is_own_folder(name)) folders.push_back(std::move(name));
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
  return fs::exists(directory / kJournalName, unknown) &&
         !fs::exists(directory / "sequences.tsv", unknown);
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
    if (path.filename() == RunLock::kName || holds_log_alone(path)) continue;
    fail_in_use(directory, path.filename().string());
  }
}

bool is_table(const fs::path& path) {
  const std::string folder = path.parent_path().filename().string();
  return folder.ends_with(kMergedSuffix) && !path.filename().string().ends_with(kPartial);
}

// Accepts what a run may leave that was killed before it had a journal. Tables without a journal
// are those of a run that kept none; they are refused.
void require_resumable(const fs::path& directory) {
  if (fs::exists(directory / kJournalName)) return;
  for (const fs::path& path : own_files(directory)) {
    if (is_table(path)) fail_in_use(directory, path.lexically_relative(directory).string());
  }
  for (const fs::path& path : entries(directory)) {
    const std::string name = path.filename().string();
    if (name == RunLock::kName || is_own("", name) || is_own_folder(name)) continue;
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
  lock_.emplace(path_);
  if (existing == Existing::kRefuse) require_empty(path_);
  if (existing == Existing::kResume) require_resumable(path_);
}

OutputDirectory::~OutputDirectory() = default;

void OutputDirectory::clear() const {
  // The journal goes last: if clearing is interrupted, the run can still be resumed.
  std::vector<fs::path> files = own_files(path_);
  std::stable_partition(files.begin(), files.end(),
                        [](const fs::path& path) { return path.filename() != kJournalName; });
  for (const fs::path& path : files) remove_file(path);
  for (const std::string& folder : own_folders(path_)) {
    std::error_code still_used;  // it holds files that are not ours
    if (!folder.empty()) fs::remove(path_ / folder, still_used);
  }
}

void OutputDirectory::clear_leftovers() const {
  for (const fs::path& path : own_files(path_)) {
    const std::string name = path.filename().string();
    if (name.ends_with(kPartial) || name.starts_with(kSpillPrefix)) remove_file(path);
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
