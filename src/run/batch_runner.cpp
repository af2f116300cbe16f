#include "run/batch_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "observe/trace.hpp"

namespace virnucpro {
namespace {

// The most frames that an error names, because a batch may have thousands.
constexpr std::size_t kNamesInError = 20;

}  // namespace

PackSettings pack_settings(const ComputeSettings& settings, std::size_t token_budget) {
  return {.token_budget = token_budget,
          .frames_in_window = limits().frames_in_window,
          .tokens_in_window = 0,
          .frames_per_batch = settings.packing ? limits().frames_per_batch : 1,
          .deduplicate = settings.deduplicate};
}

BatchRunner::BatchRunner(BatchComputer& computer, const ComputeSettings& settings,
                         RunCounters& counters, BatchHandlers handlers)
    : token_budget_(computer.facts().plan.tokens),
      computer_(computer),
      counters_(counters),
      handlers_(std::move(handlers)),
      packers_{Packer(pack_settings(settings, token_budget_)),
               Packer(pack_settings(settings, token_budget_))} {}

void BatchRunner::add(FrameTokens frame, std::uint64_t number) {
  packers_[kRunModel].add(std::move(frame), number);
  submit_full(kRunModel);
  collect_ready();
}

// Does not submit a batch yet, because handlers call recompute() during a delivery.
void BatchRunner::recompute(FrameTokens frame, std::uint64_t number) {
  packers_[kCheckModel].add(std::move(frame), number);
  check_waits_ = true;
}

void BatchRunner::collect_ready() {
  receive_ready();
  if (check_waits_) submit_full(kCheckModel);
}

void BatchRunner::receive_ready() {
  while (receive(false)) {
  }
}

void BatchRunner::submit_full(std::uint32_t model) {
  while (submit_one(model, &Packer::next_batch)) {
  }
}

// Traces `choose` only if it returns a batch, because this function runs for every frame.
bool BatchRunner::submit_one(std::uint32_t model, std::optional<PackedBatch> (Packer::*choose)()) {
  const std::uint64_t begin = Tracer::here().is_on() ? trace_now() : 0;
  std::optional<PackedBatch> batch = (packers_[model].*choose)();
  if (!batch) return false;
  if (begin != 0) Tracer::here().record("pack", begin, next_batch_);
  submit(*std::move(batch), model);
  return true;
}

std::uint64_t BatchRunner::empty_window() {
  while (submit_one(kRunModel, &Packer::drain)) {
  }
  check_waits_ = false;
  while (submit_one(kCheckModel, &Packer::drain)) {
  }
  return next_batch_;
}

void BatchRunner::wait_for(std::uint64_t batches) {
  while (!open_.empty() && open_.begin()->first < batches) {
    receive(true);
    if (check_waits_) submit_full(kCheckModel);
  }
}

void BatchRunner::flush() {
  do {
    wait_for(empty_window());
  } while (check_waits_);
}

void BatchRunner::settle() noexcept {
  try {
    while (computer_.outstanding() > 0) receive(true);
  } catch (const std::exception&) {  // the run already reports another error
  }
}

void BatchRunner::submit(PackedBatch batch, std::uint32_t model) {
  const TraceSpan span("submit", next_batch_);
  receive_ready();
  const std::size_t queue = computer_.outstanding();
  while (computer_.outstanding() >= computer_.most_outstanding()) receive(true);
  if (next_batch_ == 0) log_info("submitted the first batch");
  const std::uint64_t id = next_batch_++;
  open_.emplace(id, OpenBatch{.metrics = metrics_of(batch, id, queue),
                              .occurrences = std::move(batch.occurrences),
                              .model = model});
  computer_.submit({.id = id,
                    .frames = std::move(batch.frames),
                    .batch = id,
                    .traced = Tracer::here().admit(id),
                    .model = model});
}

BatchMetrics BatchRunner::metrics_of(const PackedBatch& batch, std::uint64_t id,
                                     std::size_t queue) const {
  BatchMetrics metrics{.batch = id,
                       .frames = batch.frames.frames(),
                       .esm_tokens = batch.frames.esm_tokens.size(),
                       .dna_tokens = batch.frames.dna_tokens.size(),
                       .queue = queue};
  // A frame longer than the budget is alone in its batch. The batch's size is then its budget.
  metrics.budget_tokens =
      std::max<std::uint64_t>({token_budget_, metrics.esm_tokens, metrics.dna_tokens});
  // Before each worker has had a batch, an empty queue does not mean that a worker waited.
  if (queue < computer_.workers() && id >= computer_.workers()) {
    metrics.queue_state = QueueState::kStarved;
  } else if (queue >= computer_.most_outstanding()) {
    metrics.queue_state = QueueState::kFull;
  }
  return metrics;
}

bool BatchRunner::receive(bool wait) {
  const std::optional<BatchResult> result = wait ? wait_for_result() : computer_.receive(false);
  if (result) {
    deliver(*result);
    Tracer::here().finish(result->id);
  }
  return result.has_value();
}

std::optional<BatchResult> BatchRunner::wait_for_result() {
  const TraceSpan span("wait for results");
  return computer_.receive(true);
}

void BatchRunner::deliver(const BatchResult& result) {
  const TraceSpan span("take results", result.id);
  const auto node = open_.extract(result.id);
  const OpenBatch& batch = node.mapped();
  check_finite(result, batch);
  auto failed = result.failed.begin();
  for (std::size_t index = 0; index < batch.occurrences.size(); ++index) {
    const bool has_failed = failed != result.failed.end() && failed->index == index;
    deliver(result, batch, index, has_failed ? &failed->reason : nullptr);
    if (has_failed) ++failed;
  }
  BatchMetrics metrics = batch.metrics;
  metrics.worker = result.worker;
  metrics.times = result.times;
  metrics.arrived = result.arrived;
  metrics.memory = result.memory;
  counters_.pipeline.record(metrics);
}

// Passes a frame's result or failure to the handlers. Frames that are computed again in the check
// precision are not counted a second time.
void BatchRunner::deliver(const BatchResult& result, const OpenBatch& batch, std::size_t index,
                          const std::string* failure) {
  static const std::string kNotFinite = "the check precision gave NaN or infinity";
  const bool is_finite =
      !std::ranges::binary_search(result.not_finite, static_cast<std::uint32_t>(index));
  const bool is_check = batch.model == kCheckModel;
  if (is_check && failure == nullptr && !is_finite) failure = &kNotFinite;
  const auto& on_result = is_check ? handlers_.on_recomputed : handlers_.on_result;
  const std::vector<std::uint64_t>& numbers = batch.occurrences[index];
  const FrameResult frame = frame_result(result, index, batch.occurrences.size());
  for (const std::uint64_t number : numbers) {
    if (failure != nullptr) {
      handlers_.on_failed(number, *failure);
    } else if (!is_finite) {
      handlers_.on_not_finite(number);
    } else {
      on_result(number, frame);
    }
  }
  if (is_check) return;
  (failure != nullptr ? counters_.frames_given_up : counters_.frames_scored).add(numbers.size());
}

void BatchRunner::check_finite(const BatchResult& result, const OpenBatch& batch) const {
  if (result.not_finite.empty() || handlers_.on_not_finite) return;
  std::vector<std::string> names;
  for (const std::uint32_t index : result.not_finite) {
    for (const std::uint64_t number : batch.occurrences[index]) {
      names.push_back(handlers_.name_of(number));
    }
  }
  throw Error(ErrorKind::kNotFinite, "for " + some_of(names, kNamesInError));
}

}  // namespace virnucpro
