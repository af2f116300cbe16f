#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "journal/kept_run.hpp"
#include "tables/sequence_walk.hpp"

namespace virnucpro {
namespace {

constexpr const char* kUtilsValidateCheckpointsExamples =
    "Example:\n"
    "  virnucpro utils validate-checkpoints contigs_predictions\n"
    "Exit code 3 when the journal is damaged.";

struct CheckOptions {
  std::string run;
  bool skip_load = false;
};

std::string describe(const KeptRun& run, bool is_read) {
  const Journal& journal = run.journal();
  std::string text =
      fmt::format("{}: {}\n  run       {}\n  units     {}\n", printable(run.directory().string()),
                  is_read ? "whole" : "no unit is missing; the units were not read",
                  journal.finished() ? "finished" : "interrupted: predict --resume goes on with it",
                  grouped(journal.units()));
  for (const InputEntry& input : journal.inputs()) {
    text += fmt::format(
        "  input     {}: {}\n", printable(input.name),
        input.failed ? printable(input.message)
                     : fmt::format("{} sequences, XXH3 {}", grouped(input.records), input.hash));
  }
  for (const auto& [key, value] : run.fingerprint()) {
    text += fmt::format("  {}: {}\n", key, printable(value));
  }
  return text;
}

int run_check(const CheckOptions& options, const Cancel& cancel) {
  const KeptRun run(options.run, cancel,
                    options.skip_load ? Journal::Check::kQuick : Journal::Check::kDeep);
  if (!options.skip_load) walk_sequences(run.journal(), {}, cancel);
  print_stdout(describe(run, !options.skip_load));
  return kExitDone;
}

}  // namespace

void add_validate_checkpoints_command(Command& utils) {
  Command& command =
      utils.add_command("validate-checkpoints", "Check the journal of a run and describe it");
  const auto options = std::make_shared<CheckOptions>();
  command.add_argument("RUN_DIR", &options->run, "The output directory of predict or merge")
      .may_be_empty = true;
  command.add_flag("--skip-load", options->skip_load,
                   "Check only the journal's structure and hash, not each unit");
  command.footer = kUtilsValidateCheckpointsExamples;
  command.action = [options](const Session& session) {
    return run_check(*options, session.cancel);
  };
}

}  // namespace virnucpro
