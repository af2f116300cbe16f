#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "journal/journal_files.hpp"
#include "journal/kept_run.hpp"
#include "journal/run_files.hpp"
#include "run/run_fingerprint.hpp"
#include "tables/sequence_walk.hpp"
#include "weights/torch_checkpoint.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUtilsValidateCheckpointsExamples =
    "Example:\n"
    "  virnucpro utils validate-checkpoints contigs_predictions\n"
    "Checks the journal of a run, or the checkpoints (.pt) of v2 in DIR and in its folders "
    "checkpoints, .checkpoints and shard_*, where v2's runs put them. Exit code 0: no checkpoint "
    "is bad, 1: one is corrupted or incompatible, 3: there is none, or DIR cannot be read.";

// Exit codes of the results, as in v2.
constexpr int kBad = 1;
constexpr int kUnreadable = 3;

constexpr const char* kFailedEarlier = "failed_checkpoints.txt";  // v2: lines path|reason|time
constexpr std::size_t kMostShownFailures = 5;
constexpr std::size_t kLongestShown = 300;

struct CheckOptions {
  std::string run;
  bool skip_load = false;
};

std::string describe(const KeptRun& run, bool is_read) {
  const Journal& journal = run.journal();
  std::string text =
      fmt::format("{}: {}\n  run       {}\n  units     {}\n", printable(run.directory().string()),
                  is_read ? "whole" : "no unit is missing; the units were not read",
                  journal.finished() ? "finished" : "interrupted: predict --resume continues it",
                  grouped(journal.units()));
  for (const InputEntry& input : journal.inputs()) {
    text += fmt::format(
        "  input     {}: {}\n", printable(input.name),
        input.failed ? printable(input.message)
                     : fmt::format("{} sequences, XXH3 {}", grouped(input.records), input.hash));
  }
  for (const auto& [key, value] : run.fingerprint()) {
    text += fmt::format("  {}: {}\n", key,
                        printable(key == kCutOffsKey ? value.substr(0, value.find('\n')) : value));
  }
  return text;
}

void read_journal(const CheckOptions& options, const Cancel& cancel) {
  const KeptRun run(options.run, cancel,
                    options.skip_load ? Journal::Check::kQuick : Journal::Check::kDeep);
  if (!options.skip_load) walk_sequences(run.journal(), {}, cancel);
  print_stdout(describe(run, !options.skip_load));
}

// Checks a journal. If it is damaged, prints that and returns kBad. If a file beside it does
// not belong to a run, throws an error, as other commands do.
int check_journal(const CheckOptions& options, const Cancel& cancel) {
  require_own_journal_files(run_files::kJournal.in(options.run));
  try {
    read_journal(options, cancel);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kJournalDamaged) throw;
    log_error("{}", error.what());
    terminal_print(fmt::format("  {}", error.remedy()));
    return kBad;
  }
  return kExitDone;
}

// The texts for a state: for one file, and for the counts at the end.
struct StateWords {
  CheckpointState state;
  const char* word;
  const char* counted;
  bool is_bad;
};
constexpr std::array kStateWords{
    StateWords{CheckpointState::kWhole, "whole", "whole", false},
    StateWords{CheckpointState::kNotLoaded, "not loaded here", "not loaded here", false},
    StateWords{CheckpointState::kCorrupted, "CORRUPTED", "corrupted", true},
    StateWords{CheckpointState::kIncompatible, "INCOMPATIBLE", "incompatible", true},
};

std::string state_text(const TorchCheckpoint& checkpoint, const StateWords& words, bool is_read) {
  if (!checkpoint.why.empty()) return fmt::format("{}: {}", words.word, checkpoint.why);
  if (!is_read) return "a ZIP; its contents were not read";
  std::string text = words.word;
  if (!checkpoint.version.empty()) text += ", version " + checkpoint.version;
  if (!checkpoint.status.empty()) text += ", " + checkpoint.status;
  return text;
}

// Prints a line with a checkpoint's state, and returns the state.
CheckpointState tell_checkpoint(const fs::path& path, bool is_read) {
  const TorchCheckpoint checkpoint = check_torch_checkpoint(path, is_read);
  const auto words =
      std::find_if(kStateWords.begin(), kStateWords.end(),
                   [&](const StateWords& row) { return row.state == checkpoint.state; });
  const std::string state = state_text(checkpoint, *words, is_read);
  const bool is_marked = is_there(path.string() + ".done");
  print_stdout(fmt::format("{}: {}{}\n", printable(path.string()), shown_text(state, kLongestShown),
                           is_marked ? ", marked as done" : ""));
  return checkpoint.state;
}

void tell_failed_earlier(const fs::path& file) {
  std::uint64_t failed = 0;
  std::deque<std::string> last;
  for_each_line(file, [&](std::string_view line) {
    const std::vector<std::string_view> parts = split_list(line, '|');
    if (parts.size() < 3) return;
    ++failed;
    last.push_back(shown_text(fmt::format("{}: {} ({})", parts.front(), parts[1], parts.back()),
                              kLongestShown));
    if (last.size() > kMostShownFailures) last.pop_front();
  });
  if (failed == 0) return;
  print_stdout(fmt::format("{}: v2 found {} damaged checkpoints; the last of them:\n",
                           printable(file.string()), grouped(failed)));
  for (const std::string& line : last) print_stdout(fmt::format("  {}\n", line));
}

// Prints the checkpoints that v2 itself found damaged. As in v2, they do not change the exit code.
void tell_record_of_v2(const std::string& folder) {
  const fs::path file = fs::path(folder) / kFailedEarlier;
  if (!is_there(file)) return;
  try {
    tell_failed_earlier(file);
  } catch (const Error& error) {
    if (!error.is(ErrorClass::kOneInput)) throw;
    log_warning("{}", error.what());
  }
}

// Prints the number of checkpoints in each state. Returns the exit code, which v2's scripts read.
// Checkpoints that are not loaded here do not count as bad; otherwise users would repeat good runs.
int tell_counts(const std::vector<CheckpointState>& states) {
  std::vector<std::string> counts;
  int code = kExitDone;
  for (const StateWords& row : kStateWords) {
    const auto found = std::count(states.begin(), states.end(), row.state);
    if (found == 0) continue;
    counts.push_back(fmt::format("{} {}", grouped(static_cast<std::uint64_t>(found)), row.counted));
    if (row.is_bad) code = kBad;
  }
  print_stdout(
      fmt::format("{} checkpoints of v2: {}. predict --resume cannot use them: it needs "
                  "a journal (run.db).\n",
                  grouped(states.size()), fmt::join(counts, ", ")));
  return code;
}

int check_checkpoints(const std::vector<fs::path>& checkpoints, const CheckOptions& options,
                      const Cancel& cancel) {
  std::vector<CheckpointState> states;
  for (const fs::path& path : checkpoints) {
    cancel.check();
    states.push_back(tell_checkpoint(path, !options.skip_load));
  }
  tell_record_of_v2(options.run);
  return tell_counts(states);
}

// True if there is a journal, or if that is unknown: then reading the journal throws the error.
bool may_have_journal(const std::string& folder) {
  std::error_code unknown;
  return fs::symlink_status(run_files::kJournal.in(folder), unknown).type() !=
         fs::file_type::not_found;
}

int run_check(const CheckOptions& options, const Cancel& cancel) {
  const std::vector<fs::path> checkpoints = find_torch_checkpoints(options.run);
  const int code =
      checkpoints.empty() ? kExitDone : check_checkpoints(checkpoints, options, cancel);
  if (may_have_journal(options.run)) return std::max(code, check_journal(options, cancel));
  if (!checkpoints.empty()) return code;
  throw Error(ErrorKind::kInputMissing, Place{.file = options.run},
              "it holds no journal of a run (run.db), and no checkpoints of v2 (*.pt)");
}

}  // namespace

void add_validate_checkpoints_command(Command& utils) {
  Command& command =
      utils.add_command("validate-checkpoints", "Check the journal of a run, or v2's checkpoints");
  const auto options = std::make_shared<CheckOptions>();
  command
      .add_argument("DIR", &options->run,
                    "The output directory of predict or merge, or of v2's checkpoints")
      .may_be_empty = true;
  command.add_flag("--skip-load", options->skip_load,
                   "Check only the journal's structure and hash, not each unit (row of scores); do "
                   "not read what v2's checkpoints hold");
  command.footer = kUtilsValidateCheckpointsExamples;
  command.exit_codes = {{kBad, "a checkpoint is bad"},
                        {kUnreadable, "no checkpoint, or it cannot be read"}};
  command.exit_code_for_1 = kUnreadable;
  command.action = [options](const Session& session) {
    return run_check(*options, session.cancel);
  };
}

}  // namespace virnucpro
