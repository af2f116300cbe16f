#include "run/export.hpp"

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/summary.hpp"

namespace virnucpro {
namespace {

constexpr const char* kExportExamples =
    "Examples:\n"
    "  virnucpro export contigs_predictions --threshold 0.8 --virus-fasta -o strict\n"
    "  virnucpro export contigs_predictions     # of an interrupted run: "
    "contigs_predictions_partial\n"
    "Exit code 2 when the run did not finish, or some input could not be processed.";

struct ExportOptions {
  std::string run;
  std::string output;
  std::string threshold;
  bool virus_fasta = false;
  bool force = false;
};

int run_export(const ExportOptions& options, const Session& session) {
  ExportSettings settings;
  settings.run = options.run;
  settings.output = options.output;
  settings.virus_fasta = options.virus_fasta;
  settings.force = options.force;
  if (!options.threshold.empty()) {
    settings.threshold = choose_threshold(options.threshold, session.config);
  }
  const ExportSummary summary = export_run(settings, session.cancel);
  say_summary(export_lines(summary), session.global.quiet);
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
                    "Where the tables go (default: RUN_DIR; of an interrupted run RUN_DIR_partial)",
                    "DIR");
  command.add_value(
      "--threshold", options->threshold,
      "Share of virus chunks from which a sequence is called virus (default: the run's)", "X");
  command.add_flag("--virus-fasta", options->virus_fasta,
                   "Write the sequences called virus to virus.fasta; reads the inputs again");
  command.add_flag("-f,--force", options->force,
                   "Replace this program's files in the output directory");
  command.footer = kExportExamples;
  command.action = [options](Session& session) { return run_export(*options, session); };
}

}  // namespace virnucpro
