#include "cli/next_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "run/input_check.hpp"
#include "telemetry/run_progress.hpp"

namespace virnucpro {
namespace {

constexpr const char* kMeaningless =
    "virnucpro download    # gets the published models: calls by synthetic models mean nothing";

std::string word(const std::filesystem::path& path) {
  return shell_word(path.string());
}

bool is_fastq(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".fq") || name.ends_with(".fastq");
}

bool has_failed(const std::vector<InputEntry>& inputs) {
  return std::ranges::any_of(inputs, [](const InputEntry& input) { return input.failed; });
}

bool has_rna(const std::vector<InputEntry>& inputs) {
  return std::ranges::any_of(inputs, [](const InputEntry& input) {
    return input.failed && input.error == error_info(ErrorKind::kInputRna).name;
  });
}

std::string mend_inputs(const std::filesystem::path& folder) {
  return fmt::format("repair the inputs that {} names, then run ",
                     printable(run_files::kFailedInputs.in(folder).string()));
}

// True if most sequences have several chunks: contigs and long reads. A short read has one chunk.
bool has_long_sequences(const TableCounts& counts) {
  return counts.chunks_scored > counts.sequences - counts.unscored_sequences;
}

// Suggests an `export`, which runs no model: it calls contigs by viral-ngs, or writes the sequences
// called virus. Empty if neither helps.
std::string files_of_viruses(const PredictSettings& settings, const TableCounts& counts) {
  const std::string command = "virnucpro export " + word(settings.output);
  const bool can_read_again = !has_pipe(settings.inputs);
  const bool fastq = std::ranges::all_of(settings.inputs.paths, is_fastq);
  std::string flags;
  if (!fastq && has_long_sequences(counts) && !settings.rule.is_viral_ngs()) {
    flags += " --rule viral-ngs";
  }
  if (can_read_again && !settings.viruses.any()) {
    flags += fastq ? " --virus-fastq " + word(settings.stem + "_virus") : " --virus-fasta";
  }
  if (flags.empty()) return {};
  const bool changes_rule = flags.starts_with(" --rule");
  const bool writes = flags.find("--virus") != std::string::npos;
  return fmt::format("{}{}    # writes {}{}{}", command, flags,
                     changes_rule ? "calls by viral-ngs" : "", changes_rule && writes ? ", " : "",
                     writes ? "the sequences called virus" : "");
}

// Returns the option of this letter, or nullptr.
const OptionRow* row_of(const Command& program, const Command& command, char letter) {
  const std::string name{'-', letter};
  const OptionRow* row = command.find_option(name);
  return row != nullptr ? row : program.find_option(name);
}

// Removes the switch -f from a word of several switches, such as "-fqo".
std::string without_force(const Command& program, const Command& command, std::string word) {
  const bool has_letters = word.size() > 1 && word[0] == '-' && word[1] != '-';
  if (!has_letters) return word;
  for (std::size_t i = 1; i < word.size();) {
    const OptionRow* row = row_of(program, command, word[i]);
    if (row == nullptr || row->takes_value()) break;
    if (row->names.back() == "--force") {
      word.erase(i, 1);
    } else {
      ++i;
    }
  }
  return word == "-" ? "" : word;
}

std::string done_text(const RunCounters& counters, const PredictSettings& settings) {
  const RunProgress progress = ProgressTracker(false).add(sample_progress(counters));
  if (progress.sequences == 0) {
    return settings.existing == Existing::kResume ? "Nothing was added to the run."
                                                  : "Nothing was scored yet.";
  }
  std::string text = fmt::format("About {} ", grouped(progress.sequences));
  if (progress.sequences_total) text += fmt::format("of {} ", grouped(*progress.sequences_total));
  text += "sequences are done";
  if (progress.percent) text += fmt::format(" ({:.1f} %)", *progress.percent);
  return text + ", and kept.";
}

}  // namespace

std::string next_step(const PredictSettings& settings, const RunSummary& summary, bool reports) {
  if (settings.to_stdout) return summary.synthetic ? kMeaningless : "";
  const std::filesystem::path& run = settings.output;
  const TableCounts& counts = summary.counts;
  if (has_rna(summary.inputs)) {
    return "run virnucpro predict with the RNA inputs only, --rna or --no-rna, and another -o";
  }
  if (has_failed(summary.inputs)) {
    return mend_inputs(run) + "the same command with --resume";
  }
  if (summary.synthetic) return kMeaningless;
  if (settings.shard.count > 1) {
    return fmt::format("when all {} shards are done: virnucpro merge {} ... -o DIR",
                       settings.shard.count, word(run));
  }
  if (counts.unscored_sequences == counts.sequences) {
    return fmt::format("see why no sequence was scored: column reason of {}",
                       printable(run_files::kSequenceTable.in(run).string()));
  }
  if (counts.virus_sequences > 0) {
    std::string files = files_of_viruses(settings, counts);
    if (!files.empty()) return files;
  }
  if (reports) return "open " + printable(run_files::kReportHtml.in(run).string());
  return "virnucpro report " + word(run);
}

std::string next_step(const ExportSummary& summary, Written how) {
  const std::filesystem::path folder = summary.tables.parent_path();
  if (has_failed(summary.inputs)) {
    return mend_inputs(folder) +
           (how == Written::kByMerge ? "virnucpro predict --resume again for every shard, and then "
                                       "virnucpro merge --force-resume"
                                     : "virnucpro predict again with --resume");
  }
  if (summary.synthetic) return kMeaningless;
  if (!summary.finished) return "finish the run with virnucpro predict --resume";
  std::error_code absent;
  const bool is_run = std::filesystem::exists(run_files::kJournal.in(folder), absent);
  const bool has_report = std::filesystem::exists(run_files::kReportHtml.in(folder), absent);
  return is_run && !has_report ? "virnucpro report " + word(folder) : "";
}

std::string resuming_command(const Command& program, const std::vector<std::string>& arguments) {
  const Command& command = chosen_command(program);
  std::vector<std::string> words;
  auto it = arguments.begin();
  for (; it != arguments.end() && *it != "--"; ++it) {
    if (*it == "--force" || it->starts_with("--force=")) continue;
    std::string kept = it == arguments.begin() ? *it : without_force(program, command, *it);
    if (!kept.empty() || it->empty()) words.push_back(std::move(kept));
  }
  const bool resumes = command.find_option("--resume")->times > 0 ||
                       command.find_option("--force-resume")->times > 0;
  if (!resumes) words.emplace_back("--resume");
  words.insert(words.end(), it, arguments.end());
  for (std::string& each : words) each = shell_word(each);
  return fmt::format("{}", fmt::join(words, " "));
}

Error with_way_on(Error error, const RunCounters& counters, const PredictSettings& settings,
                  const std::string& command) {
  // Leaves out the remedy of a stopped run, which only says to resume. After kOutputWrite also
  // leaves out how much is done, because the journal may lack the last scores.
  std::string advice(error.is(ErrorClass::kStop) ? "" : error.remedy());
  if (error.kind() != ErrorKind::kOutputWrite) {
    advice += (advice.empty() ? "" : " ") + done_text(counters, settings);
  }
  advice += fmt::format("{}To go on{}:\n{}", advice.empty() ? "" : " ",
                        has_pipe(settings.inputs) ? ", with the same input again" : "", command);
  error.advise(std::move(advice));
  return error;
}

}  // namespace virnucpro
