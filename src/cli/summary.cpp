#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "report/write_reports.hpp"
#include "run/shadow_check.hpp"

namespace virnucpro {
namespace {

std::string per_second(std::uint64_t amount, double seconds) {
  if (seconds <= 0) return "-";
  return fmt::format("{:.1f}", static_cast<double>(amount) / seconds);
}

std::string percent(double part, double whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0.0);
}

std::string share_row(std::string_view name, std::uint64_t part, std::uint64_t all) {
  std::string row = summary_row(name, grouped(part));
  if (part > 0) {
    row += fmt::format("{:>10}", percent(static_cast<double>(part), static_cast<double>(all)));
  }
  return row;
}

// Returns a text such as "empty 2, no stop-free frame 48".
std::string reasons_text(const TableCounts& counts) {
  std::vector<std::string> parts;
  for (std::size_t reason = 0; reason < kUnscoredReasons; ++reason) {
    const std::uint64_t count = counts.unscored_by_reason.at(reason);
    if (count == 0) continue;
    parts.push_back(fmt::format("{} {}", words_of(static_cast<Unscored>(reason)), grouped(count)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_counts(std::vector<std::string>& lines, const TableCounts& counts) {
  lines.push_back(summary_row("sequences", grouped(counts.sequences)));
  lines.push_back(share_row("virus", counts.virus_sequences, counts.sequences));
  if (counts.chosen_sequences != counts.virus_sequences) {
    lines.push_back(share_row("chosen tiers", counts.chosen_sequences, counts.sequences));
  }
  lines.push_back(share_row("others", counts.others(), counts.sequences));
  if (counts.ambiguous_sequences > 0) {
    lines.push_back(share_row("ambiguous", counts.ambiguous_sequences, counts.sequences));
  }
  lines.push_back(share_row("unscored", counts.unscored_sequences, counts.sequences));
  if (counts.unscored_sequences > 0) lines.back() += ": " + reasons_text(counts);
  lines.push_back(summary_row("chunks", grouped(counts.chunks_scored)));
  lines.push_back(summary_row("frames", grouped(counts.frames)));
}

// Returns a line on this session's speed, without scores that a resumed run already had.
std::string speed_line(const RunSummary& summary, const RunCounters& counters) {
  const std::uint64_t known = counters.sequences_known.get();
  const std::uint64_t computed =
      summary.counts.sequences - std::min(known, summary.counts.sequences);
  return fmt::format("speed: {} sequences in {:.1f} s, {} sequences/s, {} frames/s",
                     grouped(computed), summary.seconds, per_second(computed, summary.seconds),
                     per_second(counters.frames_scored.get(), summary.seconds));
}

// Adds a line on how busy the device was, not counting the time of loading and writing.
void add_device(std::vector<std::string>& lines, const RunCounters& counters,
                const std::optional<double>& gpu_percent) {
  const BatchTimes device = counters.pipeline.summary().totals.times;
  if (device.all() <= 0) return;
  std::string line =
      fmt::format("device: busy {} of the time, waiting for sequences {}",
                  percent(device.busy(), device.all()), percent(device.waiting, device.all()));
  if (gpu_percent) line += ", GPU use " + percent(*gpu_percent, 100);
  lines.push_back(std::move(line));
}

// Adds lines on the chunks that this session computed again: number, share and changed calls.
void add_close_calls(std::vector<std::string>& lines, const CloseCallCounters& calls) {
  const std::uint64_t recomputed = calls.recomputed.get();
  lines.push_back(summary_row("close calls", grouped(recomputed)));
  lines.push_back(summary_row("of chunks", percent(static_cast<double>(recomputed),
                                                   static_cast<double>(calls.chunks.get()))));
  lines.push_back(summary_row("changed", grouped(calls.changed.get())));
}

void warn(std::vector<std::string>& lines, const std::string& text) {
  lines.push_back(std::string(kWarningMark) + text);
}

// Above this share of chunks that are computed again, int8 saves no time.
constexpr double kMuchAgain = 0.5;

void add_cost_of_contigs(std::vector<std::string>& lines, const CallRule& rule,
                         const CloseCallCounters& calls) {
  const auto chunks = static_cast<double>(calls.chunks.get());
  const auto again = static_cast<double>(calls.recomputed.get());
  if (!rule.is_viral_ngs() || again <= kMuchAgain * chunks) return;
  warn(lines, fmt::format("{} of the chunks were computed again, most of them because the call of "
                          "their contig was close; a run without --precision int8 would be as fast",
                          percent(again, chunks)));
}

// Adds lines on the calls that a finer precision would change, estimated by the shadow check.
void add_shadow(std::vector<std::string>& lines, const ShadowEstimate& estimate) {
  lines.push_back(summary_row("compared", grouped(estimate.sampled)) +
                  ": calls that were also computed in the check precision");
  lines.push_back(
      summary_row("would flip", fmt::format("{:.0f} ({:.0f} to {:.0f})", estimate.changed,
                                            estimate.low, estimate.high)) +
      ": calls that would differ in the check precision (estimate, 95 % interval)");
}

// True for exactly two inputs, if neither failed and both have the name of a FASTQ file.
bool may_be_mates(const std::vector<InputEntry>& inputs) {
  const auto is_fastq = [](const InputEntry& input) {
    std::string_view name = input.name;
    if (name.ends_with(".gz")) name.remove_suffix(3);
    return !input.failed && (name.ends_with(".fq") || name.ends_with(".fastq"));
  };
  return inputs.size() == 2 && std::ranges::all_of(inputs, is_fastq);
}

void add_table_remarks(std::vector<std::string>& lines, const CallRule& rule,
                       const TableCounts& counts, const std::string& advice,
                       const std::vector<InputEntry>& inputs) {
  if (counts.sequences == 0) {
    warn(lines, "no sequences: the tables hold their headers only");
  } else if (counts.unscored_sequences == counts.sequences) {
    warn(lines, "no sequence could be scored: the line \"unscored\" above says why");
  }
  if (const std::string text = counts.false_calls(rule); !text.empty()) lines.push_back(text);
  if (!advice.empty()) warn(lines, advice);
  if (rule.is_viral_ngs() && counts.is_of_reads()) {
    warn(lines,
         "nearly all sequences have one chunk, and viral-ngs is a rule for contigs: for reads use "
         "--rule majority");
  }
  if (counts.failed_frames > 0) {
    warn(lines, fmt::format("{} frames could not be computed; scores and calls leave them out",
                            grouped(counts.failed_frames)));
  }
  if (counts.duplicate_ids > 0) {
    warn(lines,
         fmt::format("{} sequences have the id of an earlier sequence; each has rows of its own{}",
                     grouped(counts.duplicate_ids),
                     may_be_mates(inputs) ? " (if the two files are mates, use --paired)" : ""));
  }
  if (counts.odd_ids > 0) {
    warn(lines,
         fmt::format(
             "{} ids hold control characters, invisible characters or bytes that are not UTF-8; "
             "the tables hold these ids as they are: view them with cat -v. The first is {}",
             grouped(counts.odd_ids), counts.first_odd_id));
  }
  // Only counts failed inputs, because the log has named each with its reason.
  const auto failed = std::count_if(inputs.begin(), inputs.end(),
                                    [](const InputEntry& input) { return input.failed; });
  if (failed > 0) {
    warn(lines, fmt::format("{} of {} inputs could not be processed and have no rows in the tables",
                            failed, inputs.size()));
  }
}

// Adds the verdicts that are warnings or misses. Each line begins with the status, so that the two
// differ at a glance.
void add_missed(std::vector<std::string>& lines, const std::vector<Verdict>& judged) {
  for (const Verdict& verdict : judged) {
    const bool is_missed =
        verdict.status == VerdictStatus::kWarn || verdict.status == VerdictStatus::kMiss;
    if (is_missed)
      warn(lines, fmt::format("{} {}", name_of(verdict.status), verdict_line(verdict)));
  }
}

bool is_partial(const TableCounts& counts, const std::vector<InputEntry>& inputs) {
  return counts.failed_frames > 0 ||
         std::any_of(inputs.begin(), inputs.end(),
                     [](const InputEntry& input) { return input.failed; });
}

std::vector<std::string> remarks_on(const RunSummary& summary, const CallRule& rule) {
  std::vector<std::string> lines;
  if (summary.skipped.any()) lines.push_back(skipped_line(summary.skipped));
  add_table_remarks(lines, rule, summary.counts, summary.advice, summary.inputs);
  add_letter_warnings(lines, summary.unknown_letters, summary.rna_sequences);
  add_synthetic_warning(lines, summary.synthetic);
  return lines;
}

bool is_warning(std::string_view line) {
  return line.starts_with(kWarningMark);
}

void add_tables(std::vector<std::string>& lines, const std::filesystem::path& run,
                const std::filesystem::path& tables) {
  lines.push_back(file_line("calls", run_files::kSequenceTable.in(run)));
  lines.push_back(file_line("tables", tables));
}

void add_next(std::vector<std::string>& lines, const std::string& step) {
  if (!step.empty()) lines.push_back("next: " + step);
}

void add_call_files(std::vector<std::string>& lines, const std::filesystem::path& run,
                    const CallRule& rule, const VirusOutputs& viruses) {
  if (rule.is_viral_ngs()) lines.push_back(file_line("contigs", run_files::kContigTable.in(run)));
  if (viruses.fasta) lines.push_back(file_line("virus", run_files::kVirusFasta.in(run)));
  for (const FastqOutput& one : viruses.fastq) {
    lines.push_back(file_line("virus", one.prefix + "*.fastq.gz"));
  }
}

void add_files(std::vector<std::string>& lines, const PredictSettings& settings,
               const VirusOutputs& viruses, bool reports) {
  const std::filesystem::path& run = settings.output;
  add_tables(lines, run, run_files::kTableFolder.in(run, settings.stem));
  add_call_files(lines, run, settings.rule, viruses);
  if (reports) lines.push_back(file_line("report", run_files::kReportHtml.in(run)));
  lines.push_back(file_line("log", run_files::kLog.in(run)));
}

}  // namespace

std::string summary_row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<12}{:>15}", name, value);
}

void add_synthetic_warning(std::vector<std::string>& lines, bool synthetic) {
  if (!synthetic) return;
  warn(lines, "the weights are synthetic (seeded random numbers): these scores mean nothing");
}

void add_letter_warnings(std::vector<std::string>& lines, std::uint64_t unknown,
                         std::uint64_t rna_sequences) {
  if (unknown > 0) {
    warn(lines, fmt::format("{} characters outside IUPAC were taken as unknown letters",
                            grouped(unknown)));
  }
  if (rna_sequences > 0) {
    warn(lines, fmt::format("{} sequences have U and no T: scores of RNA mean nothing; "
                            "--rna reads U as T",
                            grouped(rna_sequences)));
  }
}

std::string file_line(std::string_view what, const std::filesystem::path& path) {
  return fmt::format("{}: {}", what, printable(path.string()));
}

std::vector<std::string> summary_lines(const PredictSettings& settings, const RunSummary& summary,
                                       const RunCounters& counters, const RunRemarks& remarks) {
  std::vector<std::string> lines;
  add_counts(lines, summary.counts);
  const std::uint64_t known = counters.sequences_known.get();
  if (known > 0) lines.push_back(summary_row("known before", grouped(known)));
  if (settings.margin > 0) add_close_calls(lines, counters.close_calls);
  if (settings.shadow > 0) add_shadow(lines, shadow_estimate(counters.shadow, settings.shadow));
  std::vector<std::string> more = remarks_on(summary, settings.rule);
  if (settings.margin > 0) add_cost_of_contigs(more, settings.rule, counters.close_calls);
  std::vector<std::string> missed;
  add_missed(missed, remarks.judged);
  const auto warnings = remarks.warnings + missed.size() +
                        static_cast<std::uint64_t>(std::ranges::count_if(more, is_warning));
  if (warnings > 0) lines.push_back(summary_row("warnings", grouped(warnings)));
  lines.insert(lines.end(), more.begin(), more.end());
  if (!settings.to_stdout) add_files(lines, settings, summary.viruses, remarks.reports);
  add_next(lines, next_step(settings, summary, remarks.reports));
  lines.push_back(speed_line(summary, counters));
  add_device(lines, counters, remarks.gpu_percent);
  lines.insert(lines.end(), missed.begin(), missed.end());
  return lines;
}

void add_merged_files(std::vector<std::string>& lines, const std::filesystem::path& tables) {
  const std::filesystem::path run = tables.parent_path();
  add_tables(lines, run, tables);
  if (has_report_page(run)) lines.push_back(file_line("report", report_files(run).front()));
}

std::vector<std::string> export_lines(const ExportSummary& summary, Written how) {
  std::vector<std::string> lines;
  add_counts(lines, summary.counts);
  add_table_remarks(lines, summary.rule, summary.counts, summary.advice, summary.inputs);
  if (!summary.finished) warn(lines, "the run did not finish: these tables hold its scores so far");
  if (!summary.covered) {
    warn(
        lines,
        "only chunks near the thresholds of the run's own rule were computed again in the check "
        "precision; to do this near the new rule's thresholds, too, run predict with this rule and "
        "another --output");
  }
  add_synthetic_warning(lines, summary.synthetic);
  if (how == Written::kByMerge) {
    add_merged_files(lines, summary.tables);
  } else {
    const std::filesystem::path run = summary.tables.parent_path();
    add_tables(lines, run, summary.tables);
    add_call_files(lines, run, summary.rule, summary.viruses);
  }
  add_next(lines, next_step(summary, how));
  return lines;
}

int exit_code(const RunSummary& summary) {
  return is_partial(summary.counts, summary.inputs) ? kExitPartial : kExitDone;
}

int exit_code(const ExportSummary& summary) {
  const bool partial = !summary.finished || is_partial(summary.counts, summary.inputs);
  return partial ? kExitPartial : kExitDone;
}

int exit_code(const SampleFacts& facts) {
  const bool partial = !facts.finished || facts.failed_inputs > 0 || facts.counts.failed_frames > 0;
  return partial ? kExitPartial : kExitDone;
}

int exit_code(const RunFacts& facts) {
  const bool partial = !facts.finished || is_partial(facts.scores.counts, facts.inputs);
  return partial ? kExitPartial : kExitDone;
}

void say_summary(const std::vector<std::string>& lines, bool quiet) {
  for (const std::string& line : lines) {
    if (!quiet) terminal_print(line);
    if (is_warning(line)) {
      log_to_files(LogLevel::kWarning, std::string_view(line).substr(kWarningMark.size()));
    } else {
      log_to_files(LogLevel::kInfo, line);
    }
  }
}

std::string skipped_line(const SkippedAlignments& skipped) {
  return fmt::format("skipped: {} secondary and {} supplementary alignments",
                     grouped(skipped.secondary), grouped(skipped.supplementary));
}

}  // namespace virnucpro
