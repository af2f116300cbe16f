#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/next_step.hpp"
#include "report/run_facts.hpp"
#include "report/sample_facts.hpp"
#include "run/export.hpp"
#include "run/predict.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {

// Every warning in summary_lines() begins with this text.
inline constexpr std::string_view kWarningMark = "warning: ";

// Facts to report on a run besides its result.
struct RunRemarks {
  std::vector<Verdict> judged{};
  std::optional<double> gpu_percent{};  // use of the least busy GPU while embedding
  std::uint64_t warnings = 0;           // warnings that the run logged
  bool reports = false;                 // true: the run has a report page
};

// Returns predict's last message: results, warnings, places of the files, next steps, speed, and
// missed requirements.
std::vector<std::string> summary_lines(const PredictSettings& settings, const RunSummary& summary,
                                       const RunCounters& counters, const RunRemarks& remarks);

// Returns the last message of export and merge.
std::vector<std::string> export_lines(const ExportSummary& summary, Written how);

// Adds lines that name the files of a merge's tables, and of its report, if it has one.
void add_merged_files(std::vector<std::string>& lines, const std::filesystem::path& tables);

// These functions return lines of a summary: a number, or a file's path.
std::string summary_row(std::string_view name, const std::string& value);
std::string file_line(std::string_view what, const std::filesystem::path& path);
void add_synthetic_warning(std::vector<std::string>& lines, bool synthetic);
// Warns of letters outside IUPAC, and of sequences with U but no T.
void add_letter_warnings(std::vector<std::string>& lines, std::uint64_t unknown,
                         std::uint64_t rna_sequences);

// Writes a summary's lines to the log files and, unless `quiet`, to stderr. The log files get a
// line with kWarningMark as a warning, without the mark.
void say_summary(const std::vector<std::string>& lines, bool quiet);

// Returns kExitPartial if the tables lack some input or frame, or if the run has not ended.
int exit_code(const RunSummary& summary);
int exit_code(const ExportSummary& summary);
int exit_code(const RunFacts& facts);
int exit_code(const SampleFacts& facts);

// Returns a line about skipped alignments; needs at least one.
std::string skipped_line(const SkippedAlignments& skipped);

}  // namespace virnucpro
