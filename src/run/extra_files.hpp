#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/cancel.hpp"
#include "engine/messages.hpp"
#include "journal/journal.hpp"
#include "run/fastq_record.hpp"
#include "run/frame_stream.hpp"
#include "run/intermediates.hpp"
#include "run/output_directory.hpp"
#include "run/predict.hpp"
#include "run/sequence_rereader.hpp"
#include "run/start_models.hpp"

namespace virnucpro {

// Writes predict's optional files: the sequences called virus and the files of --keep-intermediate.
// Damaged inputs are left out.
class ExtraFiles {
 public:
  // `finished`: the journal has all scores, so the intermediate files exist and are not written.
  ExtraFiles(const PredictSettings& settings, const RunModels& models,
             const OutputDirectory& directory, bool finished);

  bool needs_records() const { return sequences_ && sequences_->needs_records(); }
  // Adds a part; call it for every part of the inputs. `number` is the number of its first frame.
  void add(const FramePart& part, std::uint64_t number);
  void write(std::uint64_t number, const FrameResult& result);
  // Marks everything added so far as final, at the end of a complete input.
  void keep();
  // Removes everything added since keep(). None of these frames may still be in computation.
  void drop();
  // Completes the files, after the tables are written. Errors: kOutputWrite, kInputChanged; those
  // of Cancel.
  void finish(const Journal& journal, const FastqPlan& fastq,
              const std::function<void(const Journal::Fingerprint&)>& describe,
              const Cancel& cancel);

 private:
  const PredictSettings& settings_;
  const OutputDirectory& directory_;
  std::optional<SequenceRereader> sequences_;
  std::optional<Intermediates> intermediates_;
};

}  // namespace virnucpro
