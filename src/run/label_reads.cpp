#include "run/label_reads.hpp"

#include <filesystem>
#include <optional>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/shown_text.hpp"
#include "base/temporary_folder.hpp"
#include "journal/kept_run.hpp"
#include "run/input_check.hpp"
#include "run/run_fingerprint.hpp"
#include "sequence/mapping_file.hpp"
#include "tables/reference_calls.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kWrittenAtOnce = 64U << 10U;

void require_finished(const KeptRun& run) {
  if (run.journal().finished()) return;
  Error error(ErrorKind::kUsage, Place{.file = run.directory().string()}, "its run did not finish");
  error.advise("Resume it first: virnucpro predict --resume.");
  throw Error(error);
}

// Writes the table with `write`, sorting in `folder`.
LabelSummary label(const LabelSettings& settings, const Directory& folder,
                   const ReadLabels::Write& write, const Cancel& cancel) {
  const KeptRun run(settings.run, cancel);
  require_finished(run);
  InputSettings inputs = inputs_to_keep(run.fingerprint());
  inputs.paths.push_back(settings.alignments);
  require_inputs_kept(inputs, {settings.output});
  MappingFile file(settings.alignments, cancel);
  const ReferenceList& references = file.references();
  const ReferenceCalls calls(run.journal(), rollup_of(run.fingerprint()).value_or(RollupRule{}),
                             references, file.name(), cancel);
  LabelSummary summary{.references = references.size(),
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
