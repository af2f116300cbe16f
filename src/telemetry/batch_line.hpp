#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "observe/batch_metrics.hpp"

namespace virnucpro {

// A line of telemetry_<time>.jsonl: a batch, and what follows from it.
struct BatchLine {
  BatchMetrics batch{};
  double packing = 0;  // share of its budget that was filled
  double seconds = 0;  // while its device was busy
  double journal = 0;  // seconds that the journal took since the batch before
};

// The table of a batch's columns, in the order of the line: visit(name, member, digits) of each.
// `digits` stand behind the point of a number that is not whole.
template <typename Line, typename Visit>
void for_each_batch_column(Line&& line, const Visit& visit) {
  auto& batch = line.batch;
  visit("batch", batch.batch, 0);
  visit("worker", batch.worker, 0);
  visit("time", batch.time, 6);
  visit("frames", batch.frames, 0);
  visit("esm_tokens", batch.esm_tokens, 0);
  visit("dna_tokens", batch.dna_tokens, 0);
  visit("budget_tokens", batch.budget_tokens, 0);
  visit("packing", line.packing, 4);
  visit("queue", batch.queue, 0);
  visit("queue_state", batch.queue_state, 0);
  for (const BatchTimeField& field : kBatchTimeFields) {
    visit(field.name, batch.times.*field.seconds, 6);
  }
  visit("seconds", line.seconds, 6);
  visit("journal", line.journal, 6);
}

// With its end. `journal`: as BatchLine has it.
std::string write_batch_line(const BatchMetrics& batch, double journal);

// What a line has when it does not say, or says what cannot be: NaN for a number that need not be
// whole, 0 for one that must, and for two columns:
inline constexpr auto kNoWorker = std::numeric_limits<decltype(BatchMetrics::worker)>::max();
inline constexpr auto kNoQueueState = static_cast<QueueState>(kQueueStateNames.size());

// Errors: kJson, naming `file`.
BatchLine read_batch_line(std::string_view text, const std::string& file);

}  // namespace virnucpro
