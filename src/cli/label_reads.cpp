#include "run/label_reads.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/summary.hpp"
#include "run/input_check.hpp"
#include "run/output_directory.hpp"

namespace virnucpro {
namespace {

constexpr const char* kLabelExamples =
    "Examples:\n"
    "  minimap2 -ax sr contigs.fa r1.fq r2.fq | samtools view -b -o reads.bam\n"
    "  virnucpro label-reads contigs_predictions reads.bam    # reads_reads.tsv\n"
    "  minimap2 -ax map-ont contigs.fa reads.fq | \\\n"
    "      virnucpro label-reads contigs_predictions - -o -\n"
    "Contigs are called by the rule viral-ngs, even if the run has another rule.\n"
    "Exit code 2 when some input of the run could not be processed.";

struct LabelOptions {
  std::string run;
  std::string alignments;
  std::string output;
  std::string mates = "join";
  std::string unclassified = "counts";
  bool force = false;
};

// True if `word` is `second`. Errors: kUsage if it is neither `first` nor `second`.
bool is_second(std::string_view flag, const std::string& word, std::string_view first,
               std::string_view second) {
  if (word != first && word != second) {
    fail_usage(fmt::format("{} {}: expected {} or {}", flag, word, first, second));
  }
  return word == second;
}

std::string choose_output_file(const LabelOptions& options) {
  if (!options.output.empty()) return options.output;
  const std::string stem = output_stem(options.alignments);
  if (is_file_name(stem)) return stem + "_reads.tsv";
  fail_usage(fmt::format(
      "{}: no name for the table can be made from this path; give one with --output FILE",
      options.alignments));
}

// Refuses to write over the run's own files.
void check_output(const LabelSettings& settings, bool force) {
  check_output_file(settings.output.string(), force);
  require_elsewhere("--output", settings.output.string(), settings.run);
}

std::vector<std::string> lines_of(const LabelSummary& summary) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < kReadCalls.size(); ++k) {
    lines.push_back(summary_row(kReadCalls[k], grouped(summary.reads[k])));
  }
  if (summary.unplaced.repeats.any()) lines.push_back(skipped_line(summary.unplaced.repeats));
  if (summary.unplaced.unmapped > 0) {
    lines.push_back(fmt::format("unmapped: {} records", grouped(summary.unplaced.unmapped)));
  }
  if (summary.unknown_references > 0) {
    lines.push_back(fmt::format(
        "{}{} of {} reference sequences are not in the run; {} alignments to them are {}{}",
        kWarningMark, grouped(summary.unknown_references), grouped(summary.references),
        grouped(summary.unknown_alignments), kUnclassifiedCall,
        summary.unknown_alignments > 0 ? fmt::format("; the first is to {}", summary.first_unknown)
                                       : ""));
  }
  if (summary.failed_inputs > 0) {
    lines.push_back(
        fmt::format("{}{} of the run's inputs could not be read: contigs in these inputs are {}",
                    kWarningMark, grouped(summary.failed_inputs), kUnclassifiedCall));
  }
  const CallRule& rule = summary.rule;
  const std::string text = rule.cut_offs() ? text_of(rule)
                                           : fmt::format("{}, weighted delta above {}", kRollupName,
                                                         rule.viral_ngs().min_weighted_delta);
  lines.push_back(fmt::format("rule: {}{}", text,
                              summary.is_rule_of_run ? "" : " (the run's own rule is majority)"));
  add_synthetic_warning(lines, summary.synthetic);
  return lines;
}

int run_label_reads(const LabelOptions& options, const Session& session) {
  LabelSettings settings;
  settings.run = options.run;
  settings.alignments = options.alignments;
  settings.rule.mates_apart = is_second("--mates", options.mates, "join", "apart");
  settings.rule.ignores_unclassified =
      is_second("--unclassified", options.unclassified, "counts", "ignored");
  settings.output = choose_output_file(options);
  const bool to_stdout = options.output == "-";
  if (to_stdout) {
    settings.write = write_stdout;
  } else {
    check_output(settings, options.force);
  }
  const LabelSummary summary = label_reads(settings, session.cancel);
  std::vector<std::string> lines = lines_of(summary);
  if (!to_stdout) lines.push_back(file_line("reads", settings.output));
  say_summary(lines, session.global.quiet);
  return summary.failed_inputs > 0 ? kExitPartial : kExitDone;
}

}  // namespace

void add_label_reads_command(Command& program) {
  Command& command = program.add_command(
      "label-reads", "Give reads the calls of the contigs that they were aligned to");
  const auto options = std::make_shared<LabelOptions>();
  command.add_argument("RUN_DIR", &options->run, "The output directory of predict or merge")
      .may_be_empty = true;
  command.add_argument("ALIGNMENTS", &options->alignments,
                       "BAM or SAM of reads aligned to the run's sequences, with the tag NM; - is "
                       "stdin");
  command
      .add_value("-o,--output", options->output,
                 "The table to write; - is stdout (default: <stem>_reads.tsv)", "FILE")
      .written = {""};
  command.add_value("--mates", options->mates,
                    "Whether the two mates of a pair count as one read (default: join)",
                    "join|apart");
  command.add_value("--unclassified", options->unclassified,
                    "Whether alignments to unclassified contigs count if the read has other "
                    "alignments, too (default: counts)",
                    "counts|ignored");
  command.add_flag("-f,--force", options->force, "Replace the output file");
  command.footer = kLabelExamples;
  command.action = [options](Session& session) { return run_label_reads(*options, session); };
}

}  // namespace virnucpro
