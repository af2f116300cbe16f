#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "observe/batch_metrics.hpp"

namespace virnucpro {

// The phases of a run, for measurements. The run itself enters kStart, kEmbedding and kTables.
// During kEmbedding, the times of the batches tell each device's phase.
enum class Phase : std::uint8_t {
  kStart,      // settings, inputs and weights, until the first batch
  kEmbedding,  // the run computes batches; a device waits, or runs the classifier
  kEsm2,       // a device computes this model
  kDnabertS,   // a device computes this model
  kTables,     // output files, once all frames have scores
};
inline constexpr std::array kAllPhases{Phase::kStart, Phase::kEmbedding, Phase::kEsm2,
                                       Phase::kDnabertS, Phase::kTables};
inline constexpr std::size_t kPhases = kAllPhases.size();

constexpr std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::kStart:
      return "start";
    case Phase::kEmbedding:
      return "embedding";
    case Phase::kEsm2:
      return "esm2";
    case Phase::kDnabertS:
      return "dnabert_s";
    case Phase::kTables:
      return "tables";
  }
  return {};
}

constexpr std::optional<Phase> phase_named(std::string_view name) {
  for (const Phase phase : kAllPhases) {
    if (name_of(phase) == name) return phase;
  }
  return std::nullopt;
}

// Returns true if devices compute batches in this phase, or wait for batches.
constexpr bool is_while_embedding(Phase phase) {
  return phase == Phase::kEmbedding || phase == Phase::kEsm2 || phase == Phase::kDnabertS;
}

// Returns a device's phase at a moment `before` seconds before the results of a batch. `times` are
// the times of that batch.
constexpr Phase phase_before_results(const BatchTimes& times, double before) {
  const double since = times.busy() - before;  // seconds since the batch's first kernel
  if (since < 0) return Phase::kEmbedding;     // the device waited for the batch
  if (since < times.esm2) return Phase::kEsm2;
  return since < times.esm2 + times.dnabert_s ? Phase::kDnabertS : Phase::kEmbedding;
}

}  // namespace virnucpro
