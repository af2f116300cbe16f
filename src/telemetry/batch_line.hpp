#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "observe/batch_metrics.hpp"

namespace virnucpro {

// A line of telemetry_<time>.jsonl: a batch, and values that are computed from it.
struct BatchLine {
  BatchMetrics batch{};
  double packing = 0;  // share of the token budget that was filled
  double seconds = 0;  // seconds in which the device was busy
  double journal = 0;  // seconds that the journal took since the previous batch
  // These are empty if unknown, and in lines that an older version wrote.
  std::optional<double> gpu_util{};        // the GPU's last sample, in percent
  std::optional<double> tokens_per_sec{};  // tokens of both models divided by `seconds`
};

// Calls visit(name, member, digits) for each column of a batch, in the line's order. `digits` are
// the decimal places; 0 for integers and names.
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
  visit("gpu_util", line.gpu_util, 1);
  visit("tokens_per_sec", line.tokens_per_sec, 1);
}

// Returns the line with its line end. `journal` and `gpu_util` are described in BatchLine.
std::string write_batch_line(const BatchMetrics& batch, double journal,
                             std::optional<double> gpu_util = {});

// Reads a line. Errors: kJson, naming `file`, also if a required column is missing or impossible.
BatchLine read_batch_line(std::string_view text, const std::string& file);

}  // namespace virnucpro
