#include "run/embed.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "run/batch_runner.hpp"
#include "run/embedding_file.hpp"
#include "run/input_check.hpp"
#include "run/kind_check.hpp"
#include "run/require_models.hpp"
#include "run/run_fingerprint.hpp"
#include "run/start_models.hpp"

namespace virnucpro {
namespace {

EngineOutputs engine_outputs(const EmbedSettings& settings) {
  return {.scores = false,
          .dnabert_s = settings.dnabert_s || settings.merged,
          .esm2 = settings.esm2 || settings.merged};
}

EmbeddingWidths file_widths(const EmbedSettings& settings, const EngineFacts& facts) {
  return {.dnabert_s = settings.dnabert_s ? facts.dnabert_s_width : 0,
          .esm2 = settings.esm2 ? facts.esm2_width : 0,
          .merged = settings.merged ? facts.dnabert_s_width + facts.esm2_width : 0};
}

std::map<std::string, std::string> file_attributes(const EmbedSettings& settings,
                                                   const RunModels& models) {
  std::map<std::string, std::string> attributes = models.description;
  if (settings.source == FrameSource::kSequences) {
    attributes["chunk_size"] = fmt::format("{}", settings.chunk_size);
    attributes[kGeneticCodeKey] = fmt::format("{}", settings.translation.genetic_code);
  }
  if (settings.translation.rna) attributes[kRnaKey] = "true";
  return attributes;
}

std::string row_id(const FramePart& part, const FrameScore& frame, FrameSource source) {
  if (source != FrameSource::kSequences) return part.part.id;
  return frame_id(part.part.id, frame.chunk, frame.name);
}

}  // namespace

EmbedSummary embed(const EmbedSettings& settings, RunCounters& counters, const Cancel& cancel) {
  require_first_records(settings.inputs, cancel);
  const EngineOutputs outputs = engine_outputs(settings);
  require_models(settings.models, outputs);
  RunModels models = start_models(settings.models, settings.compute, outputs, cancel);
  if (models.synthetic) {
    log_warning("the weights are synthetic (seeded random numbers): the embeddings mean nothing");
  }
  EmbeddingFile file(settings.output, file_widths(settings, models.computer->facts()),
                     file_attributes(settings, models));
  std::unordered_map<std::uint64_t, std::string> names;  // ids of rows without an embedding so far
  BatchRunner runner(*models.computer, settings.compute, counters,
                     {.on_result =
                          [&](std::uint64_t row, const FrameResult& result) {
                            names.erase(row);
                            file.write(row, result.dnabert_s, result.esm2);
                          },
                      .on_failed =
                          [&names](std::uint64_t row, const std::string& reason) {
                            throw Error(ErrorKind::kDeviceFailed,
                                        fmt::format("{}: {}", names.at(row), reason));
                          },
                      .name_of = [&names](std::uint64_t row) { return names.at(row); }});

  InputSettings wanted = settings.inputs;
  wanted.headers = Headers::kIdAlone;
  InputSet inputs(std::move(wanted), cancel);
  const FrameStreamSettings stream_settings{.source = settings.source,
                                            .chunk_size = settings.chunk_size,
                                            .translation = settings.translation,
                                            .min_length = 0,
                                            .keep_text = false,
                                            .keep_records = false,
                                            .look_for_rna = settings.inputs.refuse_rna,
                                            .threads = 1};
  FrameStream stream(inputs, stream_settings, models.tokenizer ? &*models.tokenizer : nullptr,
                     counters, cancel);
  EmbedSummary summary;
  KindCheck kind(settings.source);
  while (std::optional<FrameEvent> event = stream.next()) {
    if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    if (const auto* end = std::get_if<InputEnd>(&*event)) summary.skipped.add(end->skipped);
    auto* part = std::get_if<FramePart>(&*event);
    if (part == nullptr) continue;
    kind.look(*part);
    summary.unknown_letters += part->unknown_letters;
    summary.rna_sequences += part->is_rna ? 1 : 0;
    summary.final_stops += part->had_final_stop ? 1 : 0;
    for (std::size_t i = 0; i < part->tokens.size(); ++i) {
      std::string id = row_id(*part, part->part.frames[i], settings.source);
      const std::uint64_t row = file.add_row(id);
      names.emplace(row, std::move(id));
      runner.add(std::move(part->tokens[i]), row);
    }
    if (part->part.last) counters.sequences_scored.add();
  }
  runner.flush();
  file.commit();
  summary.rows = file.rows();
  return summary;
}

}  // namespace virnucpro
