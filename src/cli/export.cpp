#include "run/export.hpp"

#include <memory>
#include <string>
#include <vector>

#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/summary.hpp"
#include "cli/virus_options.hpp"
#include "report/write_reports.hpp"

namespace virnucpro {
namespace {

constexpr const char* kExportExamples =
    "Examples:\n"
    "  virnucpro export contigs_predictions --min-score 0.8 --virus-fasta -o strict\n"
    "  virnucpro export contigs_predictions    # of an interrupted run: see -o\n"
    "Exit code 2 when the run did not finish, or some input could not be processed.";

struct ExportOptions {
  std::string run;
  std::string output;
  CallOptions calls;
  TableOptions tables;
  VirusOptions viruses;
  std::vector<std::string> inputs;
  bool drop_viruses = false;
  bool force = false;
};

int run_export(const ExportOptions& options, const Session& session) {
  ExportSettings settings;
  settings.run = options.run;
  require_folder_name(options.output);
  settings.output = options.output;
  settings.viruses = choose_viruses(options.viruses, options.run, options.force);
  settings.inputs = options.inputs;
  settings.drop_viruses = options.drop_viruses;
  settings.force = options.force;
  settings.rule = choose_call_change(options.calls);
  settings.tables = choose_table_change(options.tables);
  settings.on_reports = [&session](const Journal& journal, const RunFolder& run) {
    write_reports(journal, {.run = run.path(), .output = run}, {}, session.cancel);
  };
  const ExportSummary summary = export_run(settings, session.cancel);
  say_summary(export_lines(summary, Written::kByExport), session.global.quiet);
  return exit_code(summary);
}

}  // namespace

void add_export_command(Command& program) {
  Command& command = program.add_command(
      "export", "Write a run's tables again from its journal; computes nothing");
  const auto options = std::make_shared<ExportOptions>();
  command.add_argument("RUN_DIR", &options->run, "The output directory of predict or merge")
      .may_be_empty = true;
  command.add_value("-o,--output", options->output,
                    "Where the tables go (default: RUN_DIR; for an interrupted run "
                    "RUN_DIR_partial)",
                    "DIR");
  add_call_options(command, options->calls, CallDefault::kTheRuns);
  add_table_options(command, options->tables);
  add_virus_options(command, options->viruses);
  command.add_option(
      "--inputs", &options->inputs,
      "The run's inputs at their present paths, in the run's order; --virus-fasta and "
      "--virus-fastq read them",
      "FILE");
  command.add_flag("--drop-virus-files", options->drop_viruses,
                   "If the calls change and the run's inputs cannot be read again: rename the "
                   "run's files of sequences called virus to NAME.of-old-rule");
  command.add_flag("-f,--force", options->force,
                   "Replace this program's files in the output directory");
  command.footer = kExportExamples;
  command.action = [options](Session& session) { return run_export(*options, session); };
}

}  // namespace virnucpro
