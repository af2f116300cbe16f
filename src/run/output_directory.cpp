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
#include "journal/journal_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kCompressionSuffixes{".gz", ".bgz", ".bgzf"};
constexpr std::array<std::string_view, 11> kFormatSuffixes{
    ".fa", ".fasta", ".fna", ".ffn", ".frn", ".fas", ".fq", ".fastq", ".sam", ".bam", ".cram"};

// True if the directory has a journal but no tables. A run writes its tables last.
bool holds_unfinished_run(const Directory& directory) {
  return directory.kind_of(std::string(run_files::kJournal.name)) != EntryKind::kNone &&
         directory.kind_of(std::string(run_files::kSequenceTable.name)) == EntryKind::kNone;
}

[[noreturn]] void fail_in_use(const RunFolder& run, const RunFolder::OwnFile& file) {
  throw Error(ErrorKind::kOutputExists, Place{.file = run.path().string()},
              fmt::format("it holds {}{}", (fs::path(file.folder) / file.name).string(),
                          holds_unfinished_run(run.directory())
                              ? ", and the run in it did not finish: predict --resume (or merge "
                                "--resume) continues this run"
                              : ""));
}

// Returns the files of earlier runs. Leaves out the file of --log-file, which this run has made.
std::vector<RunFolder::OwnFile> earlier_files(const RunFolder& run) {
  std::vector<RunFolder::OwnFile> files = run.own_files();
  std::erase_if(files, [](const RunFolder::OwnFile& file) { return is_log_file(file.path); });
  return files;
}

bool is_journal(const RunFolder::OwnFile& file) {
  return file.name == run_files::kJournal.name;
}

// True for a file that a run leaves if it fails before it scores anything.
bool is_of_a_failed_start(const RunFolder::OwnFile& file) {
  constexpr std::array kFiles{run_files::kLog,          run_files::kMonitorLog,
                              run_files::kTelemetry,    run_files::kBatchLines,
                              run_files::kBatchNumbers, run_files::kFailedInputs,
                              run_files::kSyntheticMark};
  return std::ranges::any_of(kFiles, [&file](const RunFile& one) {
    return file.folder == one.folder && one.matches(file.name);
  });
}

void require_none(const RunFolder& run) {
  std::vector<RunFolder::OwnFile> files = earlier_files(run);
  std::erase_if(files, is_of_a_failed_start);
  if (files.empty()) return;
  const auto journal = std::ranges::find_if(files, is_journal);
  fail_in_use(run, journal == files.end() ? files.front() : *journal);
}

// Accepts the files of a run that was killed before it had a journal. Refuses tables without a
// journal, because their run kept no journal and cannot be resumed.
void require_resumable(const RunFolder& run) {
  const std::vector<RunFolder::OwnFile> files = earlier_files(run);
  if (std::ranges::any_of(files, is_journal)) return;
  for (const RunFolder::OwnFile& file : files) {
    if (run_files::kTableFolder.matches(file.folder) && !is_incomplete(file.name)) {
      fail_in_use(run, file);
    }
  }
}

void require_usable(const RunFolder& run, const std::string& stem, Existing existing) {
  run.require_names(stem);
  if (existing == Existing::kRefuse) require_none(run);
  if (existing == Existing::kResume) require_resumable(run);
}

// Makes the directory if it is missing, and checks that it may be used. Changes no file in it.
Directory usable_directory(const fs::path& path, const std::string& stem, Existing existing,
                           TakeOver allowed) {
  require_own_journal_files(run_files::kJournal.in(path));
  make_directory(path);
  const Directory directory(path);
  RunLock::require_takeable(directory, allowed);
  require_usable(RunFolder(directory), stem, existing);
  return directory;
}

TakeOver take_over_for(Existing existing) {
  return existing == Existing::kReplace ? TakeOver::kForced : TakeOver::kOfTheDead;
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

OutputDirectory::OutputDirectory(const std::filesystem::path& path, std::string stem,
                                 Existing existing)
    : stem_(std::move(stem)),
      lock_(usable_directory(path, stem_, existing, take_over_for(existing)),
            take_over_for(existing)),
      files_(lock_.directory()) {
  require_usable(files_, stem_, existing);  // again: another run may have ended meanwhile
}

void OutputDirectory::clear() const {
  files_.clear();
}

void OutputDirectory::clear_complete() const {
  files_.clear_complete();
}

void OutputDirectory::clear_leftovers() const {
  for (const RunFolder::OwnFile& file : files_.own_files()) {
    if (is_incomplete(file.name)) files_.remove(file);
  }
}

bool OutputDirectory::would_clear(const std::filesystem::path& file) const {
  return std::ranges::any_of(files_.own_files(), [&file](const RunFolder::OwnFile& own) {
    std::error_code other;  // a file that cannot be examined is not ours
    return fs::equivalent(own.path, file, other);
  });
}

std::string output_stem(const std::string& input) {
  if (input == "-") return "stdin";
  std::string name = std::filesystem::path(input).filename().string();
  strip_suffix(name, kCompressionSuffixes);
  strip_suffix(name, kFormatSuffixes);
  return name;
}

bool is_nameless(const std::string& input) {
  return input == "-" || input.starts_with("/dev/fd/") || input.starts_with("/proc/self/fd/");
}

}  // namespace virnucpro
