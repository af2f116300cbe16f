#include "telemetry/batch_facts.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/json_values.hpp"
#include "observe/batch_metrics.hpp"
#include "telemetry/text_lines.hpp"

namespace virnucpro {
namespace {

void add_stage(const JsonValues& line, std::string_view name, BatchFacts& facts) {
  const std::string stage(name);
  if (const auto seconds = line.number(stage)) facts.stages[stage] += *seconds;
}

void add_stages(const JsonValues& line, BatchFacts& facts) {
  for (const BatchTimeField& field : kBatchTimeFields) add_stage(line, field.name, facts);
  add_stage(line, "journal", facts);
}

void add_waits(const JsonValues& line, double time, BatchFacts& facts) {
  if (const auto waited = line.number("waiting")) {
    facts.waiting.add(time, *waited);
    facts.longest_wait = std::max(facts.longest_wait, *waited);
  }
  const std::string state = line.text("queue_state").value_or("");
  const auto& known = kQueueStateNames;
  if (std::ranges::find(known, state) != known.end()) ++facts.queue_states[state];
}

WorkerFacts* worker_of(const JsonValues& line, BatchFacts& facts) {
  const auto worker = line.count("worker");
  if (!worker) return nullptr;
  const bool full = facts.workers.size() == BatchFacts::kMostWorkers;
  if (full && facts.workers.count(*worker) == 0) return nullptr;
  return &facts.workers[*worker];
}

void add_worker(const JsonValues& line, double begin, double end, BatchFacts& facts) {
  WorkerFacts* worker = worker_of(line, facts);
  if (worker == nullptr) return;
  const std::uint64_t tokens = line.count("esm_tokens").value_or(0);
  ++worker->batches;
  worker->frames += line.count("frames").value_or(0);
  worker->esm_tokens += tokens;
  worker->busy += line.number("seconds").value_or(0);
  worker->waiting += line.number("waiting").value_or(0);
  worker->esm_tokens_over_time.spread(begin, end, static_cast<double>(tokens));
}

void add_work(const JsonValues& line, double begin, double end, BatchFacts& facts) {
  const std::uint64_t frames = line.count("frames").value_or(0);
  const std::uint64_t tokens = line.count("esm_tokens").value_or(0);
  facts.frames += frames;
  facts.esm_tokens += tokens;
  facts.dna_tokens += line.count("dna_tokens").value_or(0);
  facts.budget_tokens += line.count("budget_tokens").value_or(0);
  facts.frames_over_time.spread(begin, end, static_cast<double>(frames));
  facts.esm_tokens_over_time.spread(begin, end, static_cast<double>(tokens));
}

// A batch's time is that of its end.
void add_batch(const JsonValues& line, BatchFacts& facts) {
  const auto time = line.number("time");
  if (!time || *time > TimeBins::kLongestRun) {
    ++facts.damaged_lines;
    return;
  }
  const double begin = *time - line.number("seconds").value_or(0);
  ++facts.batches;
  facts.seconds = std::max(facts.seconds, *time);
  add_work(line, begin, *time, facts);
  add_stages(line, facts);
  add_waits(line, *time, facts);
  add_worker(line, begin, *time, facts);
  if (const auto packing = line.number("packing")) facts.packing.add(*time, *packing);
}

}  // namespace

BatchFacts read_batches(const std::filesystem::path& file) {
  BatchFacts facts;
  const std::string name = file.string();
  for_each_line(file, [&](std::string_view text) {
    try {
      add_batch(JsonValues(text, name), facts);
    } catch (const Error&) {
      ++facts.damaged_lines;
    }
  });
  return facts;
}

}  // namespace virnucpro
