#include "telemetry/batch_facts.hpp"

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "telemetry/batch_line.hpp"

namespace virnucpro {
namespace {

void add_worker(const BatchLine& line, BatchFacts& facts) {
  const std::uint32_t worker = line.batch.worker;
  auto& workers = facts.esm_tokens_by_worker;
  if (workers.size() == BatchFacts::kMostWorkers && workers.count(worker) == 0) return;
  workers[worker].spread(line.batch.time - line.seconds, line.batch.time,
                         static_cast<double>(line.batch.esm_tokens));
}

// Adds a batch. A line with a time later than kLongestRun counts as damaged.
void add_batch(const BatchLine& line, BatchFacts& facts) {
  const BatchMetrics& batch = line.batch;
  if (batch.time > TimeBins::kLongestRun) {
    ++facts.damaged_lines;
    return;
  }
  facts.pipeline.add(batch);
  facts.journal_seconds += line.journal;
  facts.packing.add(batch.time, line.packing);
  facts.waiting.add(batch.time, batch.times.waiting);
  add_worker(line, facts);
}

}  // namespace

BatchFacts read_batches(const std::filesystem::path& file) {
  BatchFacts facts;
  const std::string name = file.string();
  for_each_line(file, [&](std::string_view text) {
    try {
      add_batch(read_batch_line(text, name), facts);
    } catch (const Error&) {
      ++facts.damaged_lines;
    }
  });
  return facts;
}

}  // namespace virnucpro
