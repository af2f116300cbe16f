#include "report/write_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "report/compared_runs_page.hpp"
#include "report/multiqc.hpp"
#include "report/page_sections.hpp"
#include "report/page_writers.hpp"
#include "report/samples_page.hpp"
#include "report/score_differences.hpp"
#include "report/single_run_page.hpp"
#include "report/svg_plot.hpp"
#include "run/call_files.hpp"
#include "telemetry/batches_hdf5.hpp"

namespace virnucpro {
namespace {

constexpr std::array kReports{run_files::kReportHtml,     run_files::kReportMarkdown,
                              run_files::kReportJson,     run_files::kMultiqcGeneral,
                              run_files::kMultiqcCalls,   run_files::kMultiqcScores,
                              run_files::kMultiqcVersions};

FilePlace place_of(const RunFile& file, const ReportFolders& folders,
                   std::string_view differing = {}) {
  const auto* const run = std::get_if<RunFolder>(&folders.output);
  if (run != nullptr) return run->place(file, differing);
  return file.in(std::get<std::filesystem::path>(folders.output), differing);
}

std::filesystem::path folder_of(const ReportFolders& folders) {
  const auto* const run = std::get_if<RunFolder>(&folders.output);
  return run != nullptr ? run->path() : std::get<std::filesystem::path>(folders.output);
}

using NamedPlots = std::vector<std::pair<std::filesystem::path, const Plot*>>;

// Removes the contig plots of an earlier report, which would seem to belong to this report.
void remove_other_contigs(const std::filesystem::path& folder, const NamedPlots& plots) {
  for (std::size_t k = 1; k <= kMostMaps; ++k) {
    const std::filesystem::path file = folder / fmt::format("contig_{}.svg", k);
    const bool is_new =
        std::ranges::find(plots, file, &NamedPlots::value_type::first) != plots.end();
    std::error_code error;
    if (is_new || !is_figure(file) || !std::filesystem::remove(file, error)) continue;
    log_warning("{}: removed, because this report does not have this figure", file.string());
  }
}

// Writes the texts and, if `figures` has a folder, the page's plots. No file gets its name before
// all files are complete and synced.
template <typename Places, typename Texts>
void write_together(const Places& places, const Texts& texts, const Page& page,
                    const FigureFolder& figures) {
  NamedPlots plots;
  for (const Section& section : page.sections) {
    if (figures.folder.empty()) break;
    for (const Plot& plot : section.plots) {
      figures.check(plots.emplace_back(figures.folder / (plot.key + ".svg"), &plot).first);
    }
  }
  if (!figures.folder.empty()) make_directory(figures.folder);
  std::deque<AtomicFile> written;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    written.emplace_back(places[k]).write(texts[k]);
  }
  for (const auto& [path, plot] : plots) written.emplace_back(path).write(svg_plot(*plot));
  commit_together(written);
  for (const AtomicFile& file : written) log_info("wrote {}", file.path().string());
  const bool is_of_a_run =
      std::ranges::find(page.sections, "top_hits", &Section::key) != page.sections.end();
  if (is_of_a_run && !figures.folder.empty()) remove_other_contigs(figures.folder, plots);
}

// Returns a difference that proves that two runs read different sequences; empty if there is none.
// Skips inputs that failed in one of the runs.
std::optional<std::string> other_inputs(const Journal& first, const Journal& other) {
  const auto entry = [](const Journal& run, const char* key) {
    return entry_of(run.fingerprint(), key);
  };
  if (entry(first, "inputs") != entry(other, "inputs")) return "a different number of inputs";
  if (entry(first, "shard") != entry(other, "shard")) return "a different shard of the inputs";
  const std::vector<InputEntry> a = first.inputs();
  const std::vector<InputEntry> b = other.inputs();
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (a[k].failed || b[k].failed || a[k].hash == b[k].hash) continue;
    if (a[k].name == b[k].name) return fmt::format("{} has other contents", shown_text(a[k].name));
    return fmt::format("{} in place of {}", shown_text(b[k].name), shown_text(a[k].name));
  }
  return std::nullopt;
}

void require_same_inputs(const std::vector<NamedRun>& runs) {
  for (const NamedRun& run : runs) {
    const auto other = other_inputs(runs.front().journal, run.journal);
    if (!other) continue;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} has other inputs than {} ({}): --compare needs runs of the same inputs; "
                    "without --compare, the report shows each run as a sample",
                    shown_text(run.path.string()), shown_text(runs.front().path.string()), *other));
  }
}

// Writes telemetry_<time>.h5 if a killed run could not write it. Never replaces a file.
void add_missing_hdf5(const RunFacts& facts, const ReportFolders& folders) {
  if (facts.batch_lines.empty()) return;
  const std::string time = run_files::kBatchLines.differing_in(facts.batch_lines);
  for (const std::filesystem::path& folder : {folders.run, folder_of(folders)}) {
    std::error_code unknown;
    if (std::filesystem::exists(run_files::kBatchNumbers.in(folder, time), unknown)) return;
  }
  write_batches_hdf5(facts.batch_lines, place_of(run_files::kBatchNumbers, folders, time));
}

}  // namespace

std::vector<std::filesystem::path> report_files(const std::filesystem::path& output) {
  std::vector<std::filesystem::path> files;
  for (const RunFile& report : kReports) files.push_back(report.in(output));
  return files;
}

bool is_figure(const std::filesystem::path& file) {
  return beginning_of(file, kFigureStart.size()) == kFigureStart;
}

RunFacts write_reports(const Journal& journal, const ReportFolders& folders,
                       const CallRuleChange& change, const Cancel& cancel,
                       const FigureFolder& figures) {
  RunFacts facts = read_run_facts(journal, folders.run, change, cancel);
  const Page page = single_run_page(facts);
  const std::array<std::string, kReports.size()> texts{
      report_html(page),    report_markdown(page), report_json(page),      multiqc_general(facts),
      multiqc_calls(facts), multiqc_scores(facts), multiqc_versions(facts)};
  std::vector<FilePlace> places;
  for (const RunFile& report : kReports) places.push_back(place_of(report, folders));
  write_together(places, texts, page, figures);
  add_missing_hdf5(facts, folders);
  return facts;
}

void write_reports_or_warn(const Journal& journal, const RunFolder& run, const Cancel& cancel) {
  try {
    write_reports(journal, {.run = run.path(), .output = run}, {}, cancel);
  } catch (const Error& error) {
    // The run's tables are written already, so an error about a report is only a warning.
    if (!error.is(ErrorClass::kOutput) && error.kind() != ErrorKind::kTooManyFiles) throw;
    log_warning("the reports could not be written: {}; write them later with virnucpro report",
                error.what());
  }
}

bool has_reports(const RunFolder& run) {
  return std::ranges::all_of(kReports,
                             [&run](const RunFile& report) { return has_own(run, report); });
}

bool has_report_page(const std::filesystem::path& run) {
  std::error_code error;
  return std::filesystem::is_regular_file(run_files::kReportHtml.in(run), error);
}

std::vector<std::filesystem::path> sample_files(const std::filesystem::path& page) {
  std::filesystem::path stem = page;
  if (stem.extension() == ".html") stem.replace_extension();
  return {page, stem.string() + ".tsv", stem.string() + ".json"};
}

std::vector<std::string> write_samples(const std::vector<SampleFacts>& samples,
                                       const std::vector<std::size_t>& controls,
                                       const std::filesystem::path& page,
                                       const FigureFolder& figures) {
  const Page content = samples_page(samples, controls);
  const std::array<std::string, 3> texts{report_html(content),
                                         report_tsv(content.sections.front().tables.front()),
                                         report_json(content)};
  write_together(sample_files(page), texts, content, figures);
  return content.warnings;
}

std::vector<RunFacts> write_comparison(const std::vector<NamedRun>& runs,
                                       const std::filesystem::path& file,
                                       const CallRuleChange& change, const Cancel& cancel,
                                       const FigureFolder& figures) {
  require_same_inputs(runs);
  std::vector<RunFacts> facts;
  for (const NamedRun& run : runs) {
    facts.push_back(read_run_facts(run.journal, run.path, change, cancel));
    facts.back().name = shown_text(run.path.string());
  }
  std::vector<ScoreDifferences> differences;
  const ScoredRun first{runs.front().journal, facts.front().rule};
  for (std::size_t k = 1; k < runs.size(); ++k) {
    differences.push_back(compare_scores(first, {runs[k].journal, facts[k].rule}, cancel));
  }
  const Page page = compared_runs_page(facts, differences);
  write_together(std::array{file}, std::array{report_html(page)}, page, figures);
  return facts;
}

}  // namespace virnucpro
