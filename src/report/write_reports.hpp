#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "journal/journal.hpp"
#include "report/run_facts.hpp"

namespace virnucpro {

// Where a run lies, and where its reports go.
struct ReportFolders {
  std::filesystem::path run;     // the run's output directory
  std::filesystem::path output;  // a folder that is there; often the same
};

// The names of what write_reports() writes, in `output`.
std::vector<std::filesystem::path> report_files(const std::filesystem::path& output);

// Writes report.html, report.md, report.json, virnucpro_mqc.json and virnucpro_scores_mqc.tsv from
// a run's journal and the telemetry that lies in its directory: all are complete and synced before
// the first gets its name; and the telemetry_<time>.h5 that a killed run lacks. `threshold`: as
// TableSettings has it; empty: the one of the run. The journal may be that of a run that holds its
// directory, or did not finish: then the reports say so. Telemetry that cannot be read is a warning
// in the reports. Returns what they say. Errors: kOutputWrite, kJournalDamaged, Cancel's.
RunFacts write_reports(const Journal& journal, const ReportFolders& folders,
                       std::optional<double> threshold, const Cancel& cancel);

// A run of several, by the name it was given.
struct NamedRun {
  std::filesystem::path path;
  const Journal& journal;
};

// One HTML page that holds several runs against the first of them. Returns and errors: as above.
std::vector<RunFacts> write_comparison(const std::vector<NamedRun>& runs,
                                       const std::filesystem::path& file,
                                       std::optional<double> threshold, const Cancel& cancel);

}  // namespace virnucpro
