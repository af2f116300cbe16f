#include "run/extra_files.hpp"

#include "journal/run_files.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {

ExtraFiles::ExtraFiles(const PredictSettings& settings, const RunModels& models,
                       const OutputDirectory& directory, bool finished)
    : settings_(settings), directory_(directory) {
  if (settings.viruses.any()) {
    sequences_.emplace(settings.inputs, FrameStreamSettings{.shard = settings.shard},
                       directory.files());
  }
  if (!settings.keep_intermediate || finished) return;
  const EngineFacts facts = models.computer->facts();
  const EmbeddingWidths widths{.dnabert_s = facts.dnabert_s_width,
                               .esm2 = facts.esm2_width,
                               .merged = facts.dnabert_s_width + facts.esm2_width};
  intermediates_.emplace(directory.files(), settings.stem, settings.chunk_size, widths,
                         models.description);
}

void ExtraFiles::add(const FramePart& part, std::uint64_t number) {
  if (part.record) sequences_->add(*part.record);
  if (intermediates_) intermediates_->add(part, number);
}

void ExtraFiles::write(std::uint64_t number, const FrameResult& result) {
  if (intermediates_) intermediates_->write(number, result.dnabert_s, result.esm2);
}

void ExtraFiles::keep() {
  if (sequences_) sequences_->keep();
  if (intermediates_) intermediates_->keep();
}

void ExtraFiles::drop() {
  if (sequences_) sequences_->drop();
  if (intermediates_) intermediates_->drop();
}

void ExtraFiles::finish(const Journal& journal, const FastqPlan& fastq,
                        const std::function<void(const Journal::Fingerprint&)>& describe,
                        const Cancel& cancel) {
  if (sequences_) {
    VirusFiles files(settings_.viruses, directory_.files().place(run_files::kVirusFasta),
                     settings_.inputs.paired, input_names_of(journal));
    sequences_->write(journal, settings_.rule, files, cancel);
    commit_recorded(files, fastq, describe, cancel);
  }
  if (intermediates_) intermediates_->commit();
}

}  // namespace virnucpro
