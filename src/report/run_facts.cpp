#include "report/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "report/sample_facts.hpp"
#include "run/model_advice.hpp"
#include "run/run_fingerprint.hpp"
#include "telemetry/telemetry_files.hpp"
#include "telemetry/telemetry_summary.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestWarning = 500;

void warn_of_damage(const fs::path& file, std::uint64_t lines, RunFacts& facts) {
  if (lines == 0) return;
  facts.warnings.push_back(fmt::format("{}: {} lines cannot be read and are left out",
                                       shown_text(file.filename().string()), grouped(lines)));
}

// Calls `read`. An error becomes a warning, because damaged telemetry must not prevent a report.
template <typename Read>
void read_or_warn(const fs::path& file, RunFacts& facts, const Read& read) {
  if (file.empty()) return;
  try {
    read();
  } catch (const Error& error) {
    facts.warnings.push_back(shown_text(error.what(), kLongestWarning));
  }
}

void read_telemetry(const fs::path& run, RunFacts& facts) {
  const TelemetryFiles files = newest_telemetry(run);
  std::optional<RunTelemetry> summary;
  read_or_warn(files.summary, facts, [&] { summary = read_run_telemetry(files.summary); });
  facts.batch_lines = files.batches;
  read_or_warn(files.batches, facts, [&] { facts.batches = read_batches(files.batches); });
  read_or_warn(files.metrics, facts, [&] { facts.metrics = read_metrics(files.metrics); });
  facts.has_summary = summary.has_value();
  facts.telemetry =
      summary ? *std::move(summary) : telemetry_of_killed_run(facts.batches, facts.metrics);
  warn_of_damage(files.batches, facts.batches.damaged_lines, facts);
  warn_of_damage(files.metrics, facts.metrics.damaged_lines, facts);
}

void add_run_warnings(RunFacts& facts) {
  auto& warnings = facts.warnings;
  if (!facts.finished) {
    warnings.emplace_back(
        "The run did not finish, so this report has only the results so far. virnucpro predict "
        "--resume continues the run.");
  }
  if (facts.synthetic) {
    warnings.emplace_back(
        "The weights are synthetic (seeded random numbers): these scores mean nothing.");
  }
  if (const std::string code = entry_of(facts.fingerprint, kGeneticCodeKey); !code.empty()) {
    warnings.push_back(
        fmt::format("Codons were read by NCBI's genetic code {}; the published classifiers were "
                    "trained on frames of code 1.",
                    shown_text(code)));
  }
  const auto failed = std::count_if(facts.inputs.begin(), facts.inputs.end(),
                                    [](const InputEntry& input) { return input.failed; });
  if (failed > 0) {
    warnings.push_back(
        fmt::format("{} of {} inputs could not be processed and have no rows in the tables.",
                    failed, facts.inputs.size()));
  }
  if (const std::uint64_t frames = facts.scores.counts.failed_frames; frames > 0) {
    warnings.push_back(fmt::format(
        "{} frames could not be computed; scores and calls leave them out.", grouped(frames)));
  }
  if (facts.rule.is_viral_ngs() && facts.scores.counts.is_of_reads()) {
    warnings.emplace_back(
        "Nearly all sequences have one chunk, but viral-ngs is a rule for contigs: use --rule "
        "majority for reads.");
  }
  if (const std::string advice = model_advice(facts.fingerprint, facts.scores.counts);
      !advice.empty()) {
    warnings.push_back(advice + ".");
  }
}

std::uint64_t known_chunk_size(const Journal::Fingerprint& print, const fs::path& run) {
  const auto size = chunk_size_of(print);
  if (size) return *size;
  throw Error(ErrorKind::kJournalDamaged, Place{.file = run.string()},
              "the run's journal does not state the chunk length")
      .advised("Run predict or merge for this directory again, with --force-resume.");
}

}  // namespace

RunFacts read_run_facts(const Journal& journal, const fs::path& run, const CallRuleChange& change,
                        const Cancel& cancel) {
  RunFacts facts;
  facts.name = directory_name(run);
  facts.finished = journal.finished();
  facts.fingerprint = journal.fingerprint();
  facts.stem = shown_text(entry_of(facts.fingerprint, "stem"));
  facts.sample = sample_name(facts.fingerprint, run);
  facts.synthetic = is_synthetic(facts.fingerprint);
  facts.rule = changed_rule(facts.fingerprint, change);
  facts.fingerprint.erase(kCutOffsKey);  // too long; the section on calls has the cut-offs
  facts.inputs = journal.inputs();
  facts.scores = read_scores(
      journal, {.rule = facts.rule, .chunk_size = known_chunk_size(facts.fingerprint, run)},
      cancel);
  add_run_warnings(facts);
  std::error_code unknown;
  if (facts.finished && !fs::exists(run_files::kSequenceTable.in(run), unknown)) {
    facts.warnings.emplace_back(
        "There are no tables: write them with virnucpro export, or with predict --resume.");
  }
  const bool has_rule = facts.rule.is_viral_ngs() || rule_of(facts.fingerprint).is_viral_ngs();
  if (!has_rule && fs::exists(run_files::kContigTable.in(run), unknown)) {
    facts.warnings.emplace_back(
        "contigs.tsv has calls by the rule viral-ngs, unlike the other files. virnucpro export "
        "RUN_DIR --rule viral-ngs makes all files follow that rule; --rule majority removes "
        "contigs.tsv.");
  }
  read_telemetry(run, facts);
  return facts;
}

}  // namespace virnucpro
