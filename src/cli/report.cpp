#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/summary.hpp"
#include "journal/kept_run.hpp"
#include "report/sample_controls.hpp"
#include "report/write_reports.hpp"
#include "run/input_check.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReportExamples =
    "Examples:\n"
    "  virnucpro report contigs_predictions               # report.html and others\n"
    "  virnucpro report contigs_predictions -o report     # if RUN_DIR is read-only\n"
    "  virnucpro report runs/* --control water -o samples.html    # many samples\n"
    "  virnucpro report --compare run_a run_b -o compare.html\n"
    "  virnucpro report contigs_predictions --figures figures     # for a paper\n"
    "Exit code 2 when a run did not finish, or some input or frame could not be processed.";

struct ReportOptions {
  std::vector<std::string> runs;
  std::string output;
  std::string figures;
  std::vector<std::string> controls;
  CallOptions calls;
  bool compare = false;
  bool force = false;
};

constexpr const char* kPageEnding = ".html";

struct Reported {
  std::string page;
  std::vector<std::string> warnings;
  int code = kExitDone;
};

// The quick check is enough, because reading each unit for the report checks the unit.
constexpr auto kCheck = Journal::Check::kQuick;

void require_given_once(const std::vector<std::string>& paths) {
  std::set<std::pair<dev_t, ino_t>> known;
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) continue;  // on an error, opening the file will fail
    if (known.emplace(status.st_dev, status.st_ino).second) continue;
    fail_usage(fmt::format("{} was given twice", printable(path)));
  }
}

bool is_own(const KeptRun& run, const fs::path& output) {
  std::error_code other;
  return fs::equivalent(output, run.directory(), other);
}

// Refuses a rule that differs from the rule of the run's tables: the report would contradict them.
void require_own_rule(const KeptRun& run, const CallRuleChange& change) {
  const CallRule own = rule_of(run.fingerprint());
  if (change.over(own) == own) return;
  fail_usage(
      fmt::format("{} has tables of another rule ({}): name another --output, or change "
                  "tables and report with virnucpro export",
                  printable(run.directory().string()), text_of(own)));
}

// Returns the folders of a report. Refuses existing files without `force`, except a run's own
// reports in its own folder.
ReportFolders prepare_folders(KeptRun& run, const fs::path& output, bool force,
                              const CallRuleChange& change) {
  if (is_own(run, output)) {
    require_own_rule(run, change);
    run.lock();
    return {.run = run.directory(), .output = RunFolder(output)};
  }
  require_folder_name(output.string());
  make_directory(output);
  for (const fs::path& file : report_files(output)) check_output_file(file.string(), force);
  return {.run = run.directory(), .output = output};
}

// Returns the folder for plots. New plots may replace plots of an earlier report, other files only
// with --force, and the configuration file never.
FigureFolder figure_folder(const ReportOptions& options, const std::string& config) {
  if (options.figures.empty()) return {};
  if (options.figures == "-") {
    fail_usage("--figures -: a directory is needed, not stdout");
  }
  std::error_code other;
  if (fs::exists(options.figures, other) && !fs::is_directory(options.figures, other)) {
    fail_usage(fmt::format("--figures {}: expected a directory", printable(options.figures)));
  }
  return {.folder = options.figures, .check = [&options, config](const fs::path& file) {
            require_inputs_kept({.paths = {config}}, {file});
            check_output_file(file.string(), options.force || is_figure(file));
          }};
}

std::vector<std::string> warnings_of(const std::vector<RunFacts>& runs) {
  std::vector<std::string> warnings;
  for (const RunFacts& run : runs) {
    for (const std::string& warning : run.warnings) {
      warnings.push_back(fmt::format("{}: {}", run.name, warning));
    }
  }
  return warnings;
}

int code_of(const std::vector<RunFacts>& runs) {
  const bool partial =
      std::ranges::any_of(runs, [](const RunFacts& run) { return exit_code(run) == kExitPartial; });
  return partial ? kExitPartial : kExitDone;
}

Reported report_one(const ReportOptions& options, const FigureFolder& figures,
                    const Cancel& cancel) {
  KeptRun run(options.runs.front(), cancel, kCheck);
  const fs::path output = options.output.empty() ? run.directory() : fs::path(options.output);
  const CallRuleChange change = choose_call_change(options.calls);
  const ReportFolders folders = prepare_folders(run, output, options.force, change);
  const std::vector<RunFacts> facts{write_reports(run.journal(), folders, change, cancel, figures)};
  return {.page = report_files(output).front().string(),
          .warnings = warnings_of(facts),
          .code = code_of(facts)};
}

// Checks the options now, before hundreds of runs are read.
void require_page(const ReportOptions& options, const std::vector<fs::path>& files) {
  if (options.output.empty()) {
    fail_usage(fmt::format("{}: name the page with --output FILE.html",
                           options.runs.size() > 1 ? "several runs are shown on one page"
                                                   : "--control makes a page of samples"));
  }
  if (!options.output.ends_with(kPageEnding)) {
    fail_usage(fmt::format("--output {}: the name of a page must end with {}",
                           printable(options.output), kPageEnding));
  }
  for (const fs::path& file : files) check_output_file(file.string(), options.force);
  const fs::path folder = fs::path(options.output).parent_path();
  std::error_code unknown;
  if (folder.empty() || fs::is_directory(folder, unknown)) return;
  fail_usage(fmt::format("--output {}: there is no directory {}", printable(options.output),
                         printable(folder.string())));
}

// Reports many samples, perhaps hundreds: only one run is open at a time, and only the runs' rows
// stay in memory. Rows come from journals, because report.json may be older than the journal.
Reported report_samples(const ReportOptions& options, const FigureFolder& figures,
                        const Cancel& cancel) {
  require_page(options, sample_files(options.output));
  const CallRuleChange change = choose_call_change(options.calls);
  std::vector<SampleFacts> samples;
  for (const std::string& path : options.runs) {
    const KeptRun run(path, cancel, kCheck);
    samples.push_back(read_sample(run.journal(), run.directory(), change, cancel));
  }
  const std::vector<std::size_t> controls = find_controls(samples, options.controls);
  const bool partial = std::ranges::any_of(
      samples, [](const SampleFacts& sample) { return exit_code(sample) == kExitPartial; });
  return {.page = options.output,
          .warnings = write_samples(samples, controls, options.output, figures),
          .code = partial ? kExitPartial : kExitDone};
}

Reported report_comparison(const ReportOptions& options, const FigureFolder& figures,
                           const Cancel& cancel) {
  if (!options.controls.empty()) {
    fail_usage("--control is for a page of samples: leave it out with --compare");
  }
  if (options.runs.size() < 2) {
    fail_usage("--compare: expected two runs or more, found one");
  }
  require_page(options, {options.output});
  constexpr const char* kFewer = "Compare fewer runs at once, or raise the limit (ulimit -n).";
  const std::vector<RunFacts> facts = with_remedy(ErrorKind::kTooManyFiles, kFewer, [&] {
    std::vector<std::unique_ptr<KeptRun>> runs;
    std::vector<NamedRun> named;
    for (const std::string& path : options.runs) {
      runs.push_back(std::make_unique<KeptRun>(path, cancel, kCheck));
      named.push_back({runs.back()->directory(), runs.back()->journal()});
    }
    return write_comparison(named, options.output, choose_call_change(options.calls), cancel,
                            figures);
  });
  return {.page = options.output, .warnings = warnings_of(facts), .code = code_of(facts)};
}

// True if the options name several runs, a control, or an output that ends with kPageEnding.
// Such an output lets a pipeline get the same files for one sample as for many.
bool wants_samples(const ReportOptions& options) {
  return options.runs.size() > 1 || !options.controls.empty() ||
         options.output.ends_with(kPageEnding);
}

Reported make_reports(const ReportOptions& options, const FigureFolder& figures,
                      const Cancel& cancel) {
  require_given_once(options.runs);
  if (options.compare) return report_comparison(options, figures, cancel);
  return wants_samples(options) ? report_samples(options, figures, cancel)
                                : report_one(options, figures, cancel);
}

int run_report(const ReportOptions& options, const Session& session) {
  const fs::path output = options.output.empty() ? options.runs.front() : options.output;
  require_inputs_kept({.paths = {session.global.config_file}}, output.extension() == kPageEnding
                                                                   ? sample_files(output)
                                                                   : report_files(output));
  const Reported reported =
      make_reports(options, figure_folder(options, session.global.config_file), session.cancel);
  std::vector<std::string> lines;
  for (const std::string& warning : reported.warnings) {
    lines.push_back(std::string(kWarningMark) + warning);
  }
  lines.push_back(fmt::format("report: {}", printable(reported.page)));
  if (!options.figures.empty()) {
    lines.push_back(fmt::format("figures: {}", printable(options.figures)));
  }
  say_summary(lines, session.global.quiet);
  return reported.code;
}

}  // namespace

void add_report_command(Command& program) {
  Command& command =
      program.add_command("report", "Make the reports of a run again, or a page of many samples");
  const auto options = std::make_shared<ReportOptions>();
  command.add_argument("RUN_DIR", &options->runs, "The output directories of predict or merge");
  command
      .add_value("-o,--output", options->output,
                 "Where the reports of a run go (default: RUN_DIR); for a page of samples, its "
                 "FILE.html",
                 "DIR|FILE")
      .written = {""};
  command.add_value(
      "--figures", options->figures,
      "Also write each plot of the report or page to DIR, as an SVG file for a paper: light, with "
      "axes and units. Earlier figures there are replaced, other files only with --force",
      "DIR");
  command
      .add_option("--control", &options->controls,
                  "A sample that is a negative control: show which samples have more virus; repeat "
                  "for several",
                  "NAME")
      .one_each = true;
  command.add_flag("--compare", options->compare,
                   "Compare runs of the same inputs with the first: scores, speed, settings");
  add_call_options(command, options->calls, CallDefault::kTheRuns);
  command.add_flag("-f,--force", options->force,
                   "Replace existing reports; those in RUN_DIR are always replaced");
  command.footer = kReportExamples;
  command.action = [options](Session& session) { return run_report(*options, session); };
}

}  // namespace virnucpro
