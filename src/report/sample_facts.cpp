#include "report/sample_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "run/output_directory.hpp"
#include "run/run_fingerprint.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/sequence_walk.hpp"
#include "telemetry/run_telemetry.hpp"
#include "telemetry/telemetry_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

void count(const ContigCall& found, ViralTiers& tiers) {
  if (found.call != kViralCall) return;
  if (found.tier == kHighTier) ++tiers.high;
  if (found.tier == kModerateTier) ++tiers.moderate;
  if (found.tier == kLowTier) ++tiers.low;
  if (found.tier == kReviewTier) ++tiers.review;
}

// Returns the run's seconds; empty if telemetry is damaged, which must not prevent the page.
std::optional<double> seconds_of(const fs::path& run) {
  const fs::path summary = newest_telemetry(run).summary;
  if (summary.empty()) return std::nullopt;
  try {
    const auto recorded = read_run_telemetry(summary);
    return recorded ? recorded->run.seconds : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Returns the settings of a rule that decide which sequences are called virus. For viral-ngs,
// leaves out min_score() and min_tier().
std::string calls_text(const CallRule& rule) {
  return rule.is_viral_ngs() && !rule.cut_offs() ? text_of(rule.viral_ngs()) : text_of(rule);
}

SampleSettings settings_of(const Journal::Fingerprint& print, const CallRule& rule) {
  return {entry_of(print, "dnabert_s_hash"),         entry_of(print, "esm2_hash"),
          entry_of(print, "classifier_hash"),        shown_text(entry_of(print, "chunk_size")),
          shown_text(entry_of(print, "min_length")), calls_text(rule)};
}

std::string part_of(const Journal::Fingerprint& print) {
  const std::string shard = entry_of(print, "shard");
  return shard.ends_with("/1") ? "" : shown_text(shard);
}

}  // namespace

std::string directory_name(const fs::path& run) {
  fs::path path = fs::absolute(run).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return shown_text(path.filename().string());
}

std::string run_text(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return shown_text(path);
}

std::string sample_name(const Journal::Fingerprint& print, const fs::path& run) {
  const std::string stem = entry_of(print, "stem");
  const std::string input = entry_of(print, input_path_key(0));
  const bool was_named = !is_nameless(input) || stem != output_stem(input);
  return !stem.empty() && was_named ? shown_text(stem) : directory_name(run);
}

std::string state_of(bool finished, std::uint64_t failed_inputs) {
  if (!finished) return "partial";
  if (failed_inputs == 0) return "finished";
  return fmt::format("{} input{} failed", failed_inputs, failed_inputs == 1 ? "" : "s");
}

SampleFacts read_sample(const Journal& journal, const fs::path& run, const CallRuleChange& change,
                        const Cancel& cancel) {
  const Journal::Fingerprint print = journal.fingerprint();
  const CallRule rule = changed_rule(print, change);
  const std::vector<InputEntry> inputs = journal.inputs();
  SampleFacts facts{.name = sample_name(print, run),
                    .run = run_text(run.string()),
                    .finished = journal.finished(),
                    .synthetic = is_synthetic(print),
                    .inputs = inputs.size(),
                    .shard = part_of(print),
                    .seconds = seconds_of(run),
                    .precision = shown_text(entry_of(print, "precision")),
                    .settings = settings_of(print, rule)};
  facts.failed_inputs = static_cast<std::uint64_t>(
      std::ranges::count_if(inputs, [](const InputEntry& input) { return input.failed; }));
  if (rule.is_viral_ngs()) facts.tiers.emplace();
  walk_sequences(journal,
                 {.rule = rule,
                  .part = {},
                  .end =
                      [&facts](const SequencePart&, const SequenceSummary& sequence) {
                        facts.counts.add(sequence);
                        facts.bases += sequence.length();
                        if (sequence.is_virus()) facts.virus_bases += sequence.length();
                        if (facts.tiers) count(sequence.contig(), *facts.tiers);
                      }},
                 cancel);
  facts.false_calls = facts.counts.false_calls(rule);
  return facts;
}

}  // namespace virnucpro
