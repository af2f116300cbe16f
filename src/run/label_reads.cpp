#include "run/label_reads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "run/input_check.hpp"
#include "run/run_fingerprint.hpp"
#include "sequence/mapping_file.hpp"
#include "tables/reference_calls.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kWrittenAtOnce = 64U << 10U;

// Refuses an unfinished run or a shard, because reads on its missing contigs would be unclassified.
void require_whole(const KeptRun& run) {
  const auto refuse = [&run](const std::string& why, const char* advice) {
    throw Error(ErrorKind::kUsage, Place{.file = run.directory().string()}, why).advised(advice);
  };
  if (!run.journal().finished()) {
    refuse("the run in this directory did not finish",
           "Resume it first: virnucpro predict --resume.");
  }
  const Shard shard = shard_of(run.fingerprint());
  if (shard.count == 1) return;
  refuse(fmt::format("it holds shard {} of a run, and lacks the contigs of the other shards",
                     shard_text(shard)),
         "Join the shards first: virnucpro merge.");
}

// Passes the table's text to `write`. Sorts on disk in `folder`.
LabelSummary label(const LabelSettings& settings, const Directory& folder,
                   const ReadLabels::Write& write, const Cancel& cancel) {
  const KeptRun run(settings.run, cancel);
  require_whole(run);
  InputSettings inputs = inputs_to_keep(run.fingerprint());
  inputs.paths.push_back(settings.alignments);
  require_inputs_kept(inputs, {settings.output});
  MappingFile file(settings.alignments, cancel);
  const ReferenceList& references = file.references();
  CallRule rule = rule_of(run.fingerprint());
  const bool is_rule_of_run = rule.is_viral_ngs();
  if (!is_rule_of_run) {
    rule.use_viral_ngs();
    rule.use_cut_offs(nullptr);
  }
  const ReferenceCalls calls(run.journal(), rule, references, file.name(), cancel);
  LabelSummary summary{.rule = rule,
                       .is_rule_of_run = is_rule_of_run,
                       .failed_inputs = static_cast<std::uint64_t>(
                           std::ranges::count(run.journal().inputs(), true, &InputEntry::failed)),
                       .references = references.size(),
                       .unknown_references = calls.unknown(),
                       .synthetic = is_synthetic(run.fingerprint())};
  ReadLabels labels(
      settings.rule, references,
      [&calls](std::uint32_t reference) -> const ContigCall& { return calls.of(reference); },
      folder, limits().rows_in_sort, cancel);
  while (const std::optional<MappedAlignment> alignment = file.next()) {
    if (!calls.is_known(alignment->reference) && summary.unknown_alignments++ == 0) {
      summary.first_unknown = shown_text(references.at(alignment->reference).name);
    }
    labels.add(*alignment);
  }
  summary.reads = labels.finish(write);
  summary.unplaced = file.unplaced();
  return summary;
}

}  // namespace

LabelSummary label_reads(const LabelSettings& settings, const Cancel& cancel) {
  if (settings.write) {
    const TemporaryFolder folder;
    std::string rows;
    const LabelSummary summary = label(
        settings, Directory(folder.path()),
        [&](std::string_view text) {
          rows += text;
          if (rows.size() < kWrittenAtOnce) return;
          settings.write(rows);
          rows.clear();
        },
        cancel);
    settings.write(rows);
    return summary;
  }
  AtomicFile out(settings.output);
  const LabelSummary summary = label(
      settings, Directory(settings.output.parent_path()),
      [&out](std::string_view text) { out.write(text); }, cancel);
  out.commit();
  return summary;
}

}  // namespace virnucpro
