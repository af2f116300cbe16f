#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace virnucpro {

// The phases of a run, for measurements.
enum class Phase : std::uint8_t {
  kStart,      // settings, inputs, weights: until the first batch
  kEmbedding,  // both models and the classifier
  kTables,     // output files, once all frames have scores
};
inline constexpr std::array kAllPhases{Phase::kStart, Phase::kEmbedding, Phase::kTables};
inline constexpr std::size_t kPhases = kAllPhases.size();

constexpr std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::kStart:
      return "start";
    case Phase::kEmbedding:
      return "embedding";
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

}  // namespace virnucpro
