#include "run/merge.hpp"

#include <memory>
#include <string>
#include <vector>

#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/summary.hpp"

namespace virnucpro {
namespace {

constexpr const char* kMergeExamples =
    "Example:\n"
    "  virnucpro merge part_0 part_1 -o merged    # of predict --shard 0/2 and 1/2";

struct MergeOptions {
  std::vector<std::string> runs;
  std::string output;
  CallOptions calls;
  TableOptions tables;
  bool force = false;
};

int run_merge(const MergeOptions& options, const Session& session) {
  MergeSettings settings;
  settings.runs.assign(options.runs.begin(), options.runs.end());
  settings.output = options.output;
  settings.rule = choose_call_change(options.calls);
  settings.more = choose_more_tables(options.tables);
  settings.force = options.force;
  const ExportSummary summary = merge_runs(settings, session.cancel);
  say_summary(export_lines(summary), session.global.quiet);
  return exit_code(summary);
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
  command.footer = kMergeExamples;
  command.action = [options](Session& session) { return run_merge(*options, session); };
}

}  // namespace virnucpro
