#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
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
#include "report/write_reports.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReportExamples =
    "Examples:\n"
    "  virnucpro report contigs_predictions               # report.html and others\n"
    "  virnucpro report contigs_predictions -o report     # if it is read-only\n"
    "  virnucpro report run_a run_b -o compare.html\n"
    "Exit code 2 when a run did not finish, or some input or frame could not be processed.";

struct ReportOptions {
  std::vector<std::string> runs;
  std::string output;
  CallOptions calls;
  bool force = false;
};

using Runs = std::vector<std::unique_ptr<KeptRun>>;

// A quick check is enough: a report reads every unit, and each is checked then.
Runs open_runs(const std::vector<std::string>& paths, const Cancel& cancel) {
  Runs runs;
  for (const std::string& path : paths) {
    for (const auto& other : runs) {
      std::error_code none;
      if (!fs::equivalent(path, other->directory(), none)) continue;
      throw Error(ErrorKind::kUsage, fmt::format("{} was given twice", path));
    }
    runs.push_back(std::make_unique<KeptRun>(path, cancel, Journal::Check::kQuick));
  }
  return runs;
}

bool is_own(const KeptRun& run, const fs::path& output) {
  std::error_code other;
  return fs::equivalent(output, run.directory(), other);
}

// The report shall not contradict the tables beside it.
void require_own_rule(const KeptRun& run, const CallRuleChange& change) {
  const CallRule own = rule_of(run.fingerprint());
  if (change.over(own) == own) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} has tables of another rule ({}): name another --output, or change "
                          "both with virnucpro export",
                          printable(run.directory().string()), text_of(own)));
}

// A run's own reports are replaced; other files are not.
ReportFolders prepare_folders(KeptRun& run, const fs::path& output, bool force,
                              const CallRuleChange& change) {
  if (is_own(run, output)) {
    require_own_rule(run, change);
    run.lock();
    return {.run = run.directory(), .output = RunFolder(output)};
  }
  if (output == "-") {
    throw Error(ErrorKind::kUsage, "--output -: a directory is needed, not stdout");
  }
  make_directory(output);
  for (const fs::path& file : report_files(output)) check_output_file(file.string(), force);
  return {.run = run.directory(), .output = output};
}

// What was reported, and where.
struct Reported {
  std::string page;
  std::vector<RunFacts> runs;
};

Reported report_one(KeptRun& run, const ReportOptions& options, const Cancel& cancel) {
  const fs::path output = options.output.empty() ? run.directory() : fs::path(options.output);
  const CallRuleChange change = choose_call_change(options.calls);
  const ReportFolders folders = prepare_folders(run, output, options.force, change);
  return {.page = report_files(output).front().string(),
          .runs = {write_reports(run.journal(), folders, change, cancel)}};
}

Reported compare(const Runs& runs, const ReportOptions& options, const Cancel& cancel) {
  if (options.output.empty()) {
    throw Error(ErrorKind::kUsage, "several runs are compared on one page: name it, --output FILE");
  }
  check_output_file(options.output, options.force);
  std::vector<NamedRun> named;
  for (const auto& run : runs) named.push_back({run->directory(), run->journal()});
  return {
      .page = options.output,
      .runs = write_comparison(named, options.output, choose_call_change(options.calls), cancel)};
}

std::vector<std::string> lines_of(const Reported& reported) {
  std::vector<std::string> lines;
  for (const RunFacts& run : reported.runs) {
    for (const std::string& warning : run.warnings) {
      lines.push_back(fmt::format("{}{}: {}", kWarningMark, run.name, warning));
    }
  }
  lines.push_back(fmt::format("report: {}", printable(reported.page)));
  return lines;
}

int run_report(const ReportOptions& options, const Session& session) {
  const Runs runs = open_runs(options.runs, session.cancel);
  const Reported reported = runs.size() == 1 ? report_one(*runs.front(), options, session.cancel)
                                             : compare(runs, options, session.cancel);
  say_summary(lines_of(reported), session.global.quiet);
  const bool partial =
      std::any_of(reported.runs.begin(), reported.runs.end(),
                  [](const RunFacts& run) { return exit_code(run) == kExitPartial; });
  return partial ? kExitPartial : kExitDone;
}

}  // namespace

void add_report_command(Command& program) {
  Command& command =
      program.add_command("report", "Make the reports of a run again, or compare several runs");
  const auto options = std::make_shared<ReportOptions>();
  command.add_argument("RUN_DIR", &options->runs, "The output directories of predict or merge");
  command.add_value("-o,--output", options->output,
                    "Where the reports of a run go (default: RUN_DIR); of several, the HTML file",
                    "DIR|FILE");
  add_call_options(command, options->calls, CallDefault::kTheRuns);
  command.add_flag("-f,--force", options->force,
                   "Replace existing reports (RUN_DIR's own always are)");
  command.footer = kReportExamples;
  command.action = [options](Session& session) { return run_report(*options, session); };
}

}  // namespace virnucpro
