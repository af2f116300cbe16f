#include "telemetry/batch_facts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "telemetry/batch_line.hpp"
#include "telemetry/bottlenecks.hpp"
#include "telemetry/text_lines.hpp"

namespace virnucpro {
namespace {

double or_zero(double value) {
  return std::isnan(value) ? 0 : value;
}

void add_worker(const BatchLine& line, double begin, BatchFacts& facts) {
  const std::uint32_t index = line.batch.worker;
  const bool full = facts.workers.size() == BatchFacts::kMostWorkers;
  if (index == kNoWorker || (full && facts.workers.count(index) == 0)) return;
  WorkerFacts& worker = facts.workers[index];
  worker.totals.add(line.batch);
  worker.busy += or_zero(line.seconds);
  worker.waiting += or_zero(line.batch.times.waiting);
  worker.esm_tokens_over_time.spread(begin, line.batch.time,
                                     static_cast<double>(line.batch.esm_tokens));
}

// A batch's time is when it ended. The bins ignore NaN.
void add_over_time(const BatchLine& line, double begin, BatchFacts& facts) {
  const BatchMetrics& batch = line.batch;
  facts.frames_over_time.spread(begin, batch.time, static_cast<double>(batch.frames));
  facts.esm_tokens_over_time.spread(begin, batch.time, static_cast<double>(batch.esm_tokens));
  facts.packing.add(batch.time, line.packing);
  facts.waiting.add(batch.time, batch.times.waiting);
}

void add_batch(const BatchLine& line, BatchFacts& facts) {
  const BatchMetrics& batch = line.batch;
  if (!(batch.time <= TimeBins::kLongestRun)) {  // or unknown (NaN)
    ++facts.damaged_lines;
    return;
  }
  const double begin = batch.time - or_zero(line.seconds);
  facts.totals.add(batch);
  facts.journal += line.journal;
  facts.seconds = std::max(facts.seconds, batch.time);
  facts.longest_wait = std::max(facts.longest_wait, or_zero(batch.times.waiting));
  if (batch.queue_state != kNoQueueState) {
    ++facts.queue_states.at(static_cast<std::size_t>(batch.queue_state));
  }
  add_over_time(line, begin, facts);
  add_worker(line, begin, facts);
}

// Also empty if `part` is unknown.
std::optional<double> ratio(double part, double whole) {
  if (!(whole > 0) || std::isnan(part)) return std::nullopt;
  return part / whole;
}

// Sorted by name. The journal's time is listed among the devices' times.
std::vector<RunTelemetry::Stage> stages_of(const BatchFacts& facts) {
  std::map<std::string_view, double> known;
  for (const BatchTimeField& field : kBatchTimeFields) {
    known[field.name] = facts.totals.times.*field.seconds;
  }
  known["journal"] = facts.journal;
  std::erase_if(known, [](const auto& stage) { return std::isnan(stage.second); });
  double all = 0;
  for (const auto& [name, seconds] : known) all += seconds;
  std::vector<RunTelemetry::Stage> stages;
  for (const auto& [name, seconds] : known) {
    const StageClock clock = name == "journal" ? StageClock::kHost : StageClock::kDevice;
    stages.push_back({.name = std::string(name),
                      .clock = std::string(name_of(clock)),
                      .seconds = seconds,
                      .share = ratio(seconds, all)});
  }
  return stages;
}

// Empty for 0: only states that occurred are reported.
std::optional<std::uint64_t> some(std::uint64_t batches) {
  return batches > 0 ? std::optional(batches) : std::nullopt;
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

RunTelemetry telemetry_of(const BatchFacts& facts) {
  RunTelemetry telemetry;
  const auto [starved, normal, full] = facts.queue_states;
  const BatchTotals& totals = facts.totals;
  if (totals.batches == 0) return telemetry;
  const auto per_second = [&facts](std::uint64_t amount) {
    return ratio(static_cast<double>(amount), facts.seconds);
  };
  telemetry.run.seconds = facts.seconds;
  telemetry.workload.batches = totals.batches;
  telemetry.throughput = {.frames_per_second = per_second(totals.frames),
                          .esm_tokens_per_second = per_second(totals.esm_tokens),
                          .tokens_per_second = per_second(totals.esm_tokens + totals.dna_tokens)};
  if (totals.budget_tokens > 0) telemetry.packing.efficiency = totals.packing();
  telemetry.waits = {
      .average_seconds = ratio(totals.times.waiting, static_cast<double>(totals.batches)),
      .max_seconds = facts.longest_wait,
      .queue = {.starved = some(starved), .normal = some(normal), .full = some(full)}};
  telemetry.stages = stages_of(facts);
  return telemetry;
}

}  // namespace virnucpro
