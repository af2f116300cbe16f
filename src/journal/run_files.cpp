#include "journal/run_files.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include "base/file.hpp"

namespace virnucpro {
namespace run_files {

constexpr std::array kAll{kFrameTable,
                          kConsensusTable,
                          kSequenceTable,
                          kContigTable,
                          kChunkBed,
                          kVirusFasta,
                          kFailedInputs,
                          kChunks,
                          kNucleotides,
                          kProteins,
                          kEmbeddings,
                          kSyntheticMark,
                          kPartialMark,
                          kJournal,
                          kJournalWal,
                          kJournalLock,
                          kLog,
                          kTelemetry,
                          kBatchLines,
                          kBatchNumbers,
                          kMonitorLog,
                          kReportHtml,
                          kReportMarkdown,
                          kReportJson,
                          kMultiqcGeneral,
                          kMultiqcCalls,
                          kMultiqcScores,
                          kMultiqcVersions};

// The names in which "*" is a time, not the stem.
constexpr std::array kTimed{kTelemetry, kBatchLines, kBatchNumbers, kMonitorLog};

}  // namespace run_files

namespace {

std::string incomplete_ending() {
  return AtomicFile::partial_name({}).string();
}

bool fits(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  const std::string_view rest = pattern.substr(1);
  if (pattern.front() == '*') {
    for (std::size_t at = 0; at <= name.size(); ++at) {
      if (fits(name.substr(at), rest)) return true;
    }
    return false;
  }
  if (pattern.front() == '#') {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    return digits > 0 && fits(name.substr(digits), rest);
  }
  return !name.empty() && name.front() == pattern.front() && fits(name.substr(1), rest);
}

std::string filled(std::string_view pattern, std::string_view differing, std::uint64_t number) {
  std::string name;
  for (const char letter : pattern) {
    if (letter == '*') {
      name += differing;
    } else if (letter == '#') {
      name += std::to_string(number);
    } else {
      name += letter;
    }
  }
  return name;
}

// True if a name fits the pattern when "*" stands for `stem`, which may contain any character.
bool has_stem(std::string_view name, std::string_view pattern, std::string_view stem) {
  if (pattern.find('*') == std::string_view::npos) return fits(name, pattern);
  return name.starts_with(stem) && fits(name.substr(stem.size()), pattern.substr(1));
}

}  // namespace

std::filesystem::path RunFile::in(const std::filesystem::path& run, std::string_view differing,
                                  std::uint64_t number) const {
  return run / filled(folder, differing, number) / filled(name, differing, number);
}

bool RunFile::matches(std::string_view file_name) const {
  return fits(file_name, name);
}

std::vector<std::filesystem::path> RunFile::found_in(const std::filesystem::path& run) const {
  std::vector<std::filesystem::path> found;
  std::error_code absent;
  for (std::filesystem::directory_iterator at(run / folder, absent), end; !absent && at != end;
       at.increment(absent)) {
    std::error_code gone;
    const bool is_one = matches(at->path().filename().string()) && at->is_regular_file(gone);
    if (is_one) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

std::string RunFile::differing_in(const std::filesystem::path& file) const {
  const std::string found = file.filename().string();
  if (!matches(found)) return {};
  return found.substr(name.find('*'), found.size() - (name.size() - 1));
}

std::string_view complete_name(std::string_view name) {
  if (name.ends_with(incomplete_ending())) name.remove_suffix(incomplete_ending().size());
  return name;
}

bool is_run_file(std::string_view folder, std::string_view name) {
  const std::string_view complete = complete_name(name);
  if (folder.empty() && run_files::kSpool.matches(complete)) return complete != name;
  return std::ranges::any_of(run_files::kAll, [&](const RunFile& file) {
    return fits(folder, file.folder) && (file.matches(name) || file.matches(complete));
  });
}

bool is_run_file_of(std::string_view stem, std::string_view folder, std::string_view name) {
  const std::string_view complete = complete_name(name);
  if (folder.empty() && run_files::kSpool.matches(complete)) return complete != name;
  return std::ranges::any_of(run_files::kAll, [&](const RunFile& file) {
    const bool is_timed = std::ranges::any_of(
        run_files::kTimed, [&](const RunFile& timed) { return timed.name == file.name; });
    return !is_timed && folder == filled(file.folder, stem, 0) &&
           (has_stem(name, file.name, stem) || has_stem(complete, file.name, stem));
  });
}

bool is_run_folder(std::string_view name) {
  return std::ranges::any_of(run_files::kAll,
                             [name](const RunFile& file) { return fits(name, file.folder); });
}

bool is_incomplete(std::string_view name) {
  return name.ends_with(incomplete_ending());
}

}  // namespace virnucpro
