#include "run/model_advice.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {

std::string model_advice(const Journal::Fingerprint& print, const TableCounts& counts) {
  const bool are_most = counts.short_sequences > 0 && 2 * counts.short_sequences >= counts.chunks;
  if (!are_most || entry_of(print, kModelTypeKey) != "500") return {};
  return fmt::format(
      "{} of {} sequences have at most {} bases: the model for {} bases (-m {}) is meant for them",
      grouped(counts.short_sequences), grouped(counts.sequences), kShortSequence, kShortSequence,
      kShortSequence);
}

}  // namespace virnucpro
