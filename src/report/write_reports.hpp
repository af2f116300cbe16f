#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "journal/journal.hpp"
#include "journal/run_folder.hpp"
#include "report/run_facts.hpp"
#include "report/sample_facts.hpp"

namespace virnucpro {

// A run's folder, and the folder of its reports, which may be the same.
struct ReportFolders {
  std::filesystem::path run;  // the run's output directory
  std::variant<RunFolder, std::filesystem::path> output;
};

// The folder for a page's plots, each an SVG file with the plot's key as name. If the path is
// empty, no plot is written. `check` throws if a file must not be replaced.
struct FigureFolder {
  std::filesystem::path folder{};
  std::function<void(const std::filesystem::path& file)> check{};
};
// Returns true if a file is a plot that svg_plot() wrote, for any report.
bool is_figure(const std::filesystem::path& file);

// Returns the paths of the files that write_reports() writes in `output`.
std::vector<std::filesystem::path> report_files(const std::filesystem::path& output);

// Writes report.html, report.md, report.json and the files for MultiQC from a run's journal and the
// telemetry in its directory. All files are complete and synced before the first gets its name.
// Also writes telemetry_<time>.h5 if a killed run has none. `change` is applied to the run's own
// rule for calls. The reports say if the run is unfinished or if telemetry is unreadable. Returns
// the reports' facts. Errors: kOutputWrite, kOutputExists, kJournalDamaged; those of Cancel.
RunFacts write_reports(const Journal& journal, const ReportFolders& folders,
                       const CallRuleChange& change, const Cancel& cancel,
                       const FigureFolder& figures = {});

// Writes the reports of a run into its directory, after the tables. If a report cannot be written,
// logs a warning. Errors: kJournalDamaged; those of Cancel.
void write_reports_or_warn(const Journal& journal, const RunFolder& run, const Cancel& cancel);
bool has_reports(const RunFolder& run);
// Returns true if report.html exists. If it could not be written, a warning gave the reason.
bool has_report_page(const std::filesystem::path& run);

// Returns the files of a page of many samples: `page`, and the same content as .tsv and .json.
std::vector<std::filesystem::path> sample_files(const std::filesystem::path& page);

// Writes a page of many samples. `controls` are the indices of the negative controls. Returns the
// page's warnings. Errors: kOutputWrite.
std::vector<std::string> write_samples(const std::vector<SampleFacts>& samples,
                                       const std::vector<std::size_t>& controls,
                                       const std::filesystem::path& page,
                                       const FigureFolder& figures = {});

// A run to compare. `path` is as the user gave it, and is the run's name in the report.
struct NamedRun {
  std::filesystem::path path;
  const Journal& journal;
};

// Writes one HTML page that compares several runs of the same inputs with the first run. Runs of
// other inputs are refused, because their scores cannot be compared. Returns the runs' facts.
// Errors: kUsage for other inputs; those of write_reports().
std::vector<RunFacts> write_comparison(const std::vector<NamedRun>& runs,
                                       const std::filesystem::path& file,
                                       const CallRuleChange& change, const Cancel& cancel,
                                       const FigureFolder& figures = {});

}  // namespace virnucpro
