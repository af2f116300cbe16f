#include "run/merge.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/summary.hpp"
#include "cli/telemetry_options.hpp"
#include "report/write_reports.hpp"
#include "telemetry/merged_telemetry.hpp"

namespace virnucpro {
namespace {

constexpr const char* kMergeExamples =
    "Examples:\n"
    "  virnucpro merge part_0 part_1 -o merged    # of predict --shard 0/2 and 1/2\n"
    "  virnucpro merge part_0 part_1 -o merged --resume    # after an interruption\n"
    "Exit code 2 when some input or frame could not be processed, 3 when a shard is missing, of "
    "another run, not finished or given twice; the message names each.";

struct MergeOptions {
  std::vector<std::string> runs;
  std::string output;
  CallOptions calls;
  TableOptions tables;
  bool force = false;
  bool resume = false;
  bool force_resume = false;
  bool no_report = false;
};

// Writes telemetry and reports. If this fails, the merge goes on with a warning, as in predict.
void write_rest(const Journal& journal, const ExportSummary& summary, const RunFolder& directory,
                const std::vector<std::filesystem::path>& shards, bool reports,
                const Session& session) {
  write_merged_telemetry({.directory = directory,
                          .shards = shards,
                          .journal = journal,
                          .summary = summary,
                          .program = program_facts(session)},
                         session.cancel);
  if (reports) write_reports_or_warn(journal, directory, session.cancel);
}

bool has_rest(const RunFolder& directory, const std::vector<std::filesystem::path>& shards,
              bool reports) {
  return (!reports || has_reports(directory)) &&
         (has_merged_telemetry(directory) || !have_telemetry(shards));
}

MergeSettings choose_merge_settings(const MergeOptions& options, const Session& session) {
  MergeSettings settings;
  settings.runs.assign(options.runs.begin(), options.runs.end());
  require_folder_name(options.output);
  settings.output = options.output;
  settings.rule = choose_call_change(options.calls);
  settings.tables = choose_table_change(options.tables);
  settings.existing = choose_existing(options.force, options.resume || options.force_resume);
  settings.start_over = options.force_resume;
  const bool reports = !options.no_report;
  settings.on_tables = [reports, &session](const Journal& journal, const ExportSummary& summary,
                                           const RunFolder& directory,
                                           const MergeSettings::Shards& shards) {
    write_rest(journal, summary, directory, shards, reports, session);
  };
  settings.has_rest = [reports](const RunFolder& directory, const MergeSettings::Shards& shards) {
    return has_rest(directory, shards, reports);
  };
  return settings;
}

std::vector<std::string> merge_lines(const MergeSummary& summary) {
  if (summary.written) return export_lines(*summary.written, Written::kByMerge);
  std::vector<std::string> lines{"this merge was finished before: nothing is left to do"};
  add_merged_files(lines, summary.tables);
  return lines;
}

int run_merge(const MergeOptions& options, const Session& session) {
  const MergeSummary summary = merge_runs(choose_merge_settings(options, session), session.cancel);
  say_summary(merge_lines(summary), session.global.quiet);
  return summary.partial ? kExitPartial : kExitDone;
}

}  // namespace

void add_merge_command(Command& program) {
  Command& command =
      program.add_command("merge", "Join the runs of all shards (predict --shard) into one");
  const auto options = std::make_shared<MergeOptions>();
  command.add_argument("RUN_DIR", &options->runs, "The output directories of all shards");
  command.add_value("-o,--output", options->output, "Output directory", "DIR").required = true;
  add_call_options(command, options->calls, CallDefault::kTheRuns);
  add_table_options(command, options->tables);
  command.add_flag("-f,--force", options->force,
                   "Replace this program's files in the output directory");
  command.add_flag("--resume", options->resume,
                   "Continue the interrupted merge in the output directory, or start one if there "
                   "is none");
  command.add_flag(
      "--force-resume", options->force_resume,
      "Like --resume, but start over if the output directory holds no merge of these shards");
  command.add_flag("--no-report", options->no_report,
                   "Write no reports (report.html and others); virnucpro report makes them");
  command.footer = kMergeExamples;
  command.exit_codes = {
      {error_info(ErrorKind::kShards).exit_code, "the shards do not make one run"}};
  command.restart_advice = "Run it again with --resume: it goes on where it stopped.";
  command.action = [options](Session& session) { return run_merge(*options, session); };
}

}  // namespace virnucpro
