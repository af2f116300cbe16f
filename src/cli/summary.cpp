#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace virnucpro {
namespace {

std::string per_second(std::uint64_t amount, double seconds) {
  if (seconds <= 0) return "-";
  return fmt::format("{:.1f}", static_cast<double>(amount) / seconds);
}

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<12}{:>15}", name, value);
}

void add_counts(std::vector<std::string>& lines, const RunSummary& summary) {
  const TableCounts& counts = summary.counts;
  const std::uint64_t others =
      counts.sequences - counts.virus_sequences - counts.unscored_sequences;
  lines.push_back(row("sequences", grouped(counts.sequences)));
  lines.push_back(row("virus", grouped(counts.virus_sequences)));
  lines.push_back(row("others", grouped(others)));
  lines.push_back(row("unscored", grouped(counts.unscored_sequences)));
  lines.push_back(row("chunks", grouped(counts.chunks_scored)));
  lines.push_back(row("frames", grouped(counts.frames)));
  lines.push_back(row("seconds", fmt::format("{:.1f}", summary.seconds)));
  lines.push_back(row("sequences/s", per_second(counts.sequences, summary.seconds)));
  lines.push_back(row("frames/s", per_second(counts.frames, summary.seconds)));
}

std::string percent(double part, double whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0.0);
}

// Between its first batch and its last: neither loading nor writing counts.
void add_device(std::vector<std::string>& lines, const RunCounters& counters) {
  const DeviceTime& device = counters.device;
  if (device.all() <= 0) return;
  lines.push_back(row("ESM tokens/s", per_second(counters.esm_tokens.get(), device.all())));
  lines.push_back(row("device busy", percent(device.busy(), device.all())));
  lines.push_back(row("DNABERT-S", percent(device.dnabert_s.seconds(), device.busy())));
  lines.push_back(row("packing", percent(static_cast<double>(counters.esm_tokens.get()),
                                         static_cast<double>(counters.budget_tokens.get()))));
}

void add_remarks(std::vector<std::string>& lines, const RunSummary& summary) {
  const auto warn = [&lines](const std::string& text) {
    lines.push_back(std::string(kWarningMark) + text);
  };
  const TableCounts& counts = summary.counts;
  if (counts.sequences == 0) {
    warn("no sequences: the tables hold their headers only");
  } else if (counts.unscored_sequences == counts.sequences) {
    warn("no sequence could be scored: sequences.tsv says why");
  }
  if (counts.failed_frames > 0) {
    warn(fmt::format("{} frames could not be computed and count as absent",
                     grouped(counts.failed_frames)));
  }
  if (counts.duplicate_ids > 0) {
    warn(fmt::format("{} sequences have the id of an earlier one; their rows are kept apart",
                     grouped(counts.duplicate_ids)));
  }
  if (summary.unknown_letters > 0) {
    warn(fmt::format("{} characters outside IUPAC were taken as unknown letters",
                     grouped(summary.unknown_letters)));
  }
  // Which, and why, was said when it happened.
  const auto failed = std::count_if(summary.inputs.begin(), summary.inputs.end(),
                                    [](const InputEntry& input) { return input.failed; });
  if (failed > 0) {
    warn(fmt::format("{} of {} inputs could not be processed and left no row", failed,
                     summary.inputs.size()));
  }
  if (summary.synthetic) {
    warn("the weights are synthetic (seeded random numbers): these scores mean nothing");
  }
}

}  // namespace

std::vector<std::string> summary_lines(const PredictSettings& settings, const RunSummary& summary,
                                       const RunCounters& counters) {
  std::vector<std::string> lines;
  add_counts(lines, summary);
  add_device(lines, counters);
  if (summary.skipped.any()) lines.push_back(skipped_line(summary.skipped));
  add_remarks(lines, summary);
  if (!settings.to_stdout) {
    const auto tables = settings.output / (settings.stem + "_merged");
    lines.push_back(fmt::format("tables: {}", printable(tables.string())));
  }
  return lines;
}

std::string skipped_line(const SkippedAlignments& skipped) {
  return fmt::format("skipped: {} secondary and {} supplementary alignments",
                     grouped(skipped.secondary), grouped(skipped.supplementary));
}

}  // namespace virnucpro
