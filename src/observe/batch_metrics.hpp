#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace virnucpro {

// The seconds that a device spent on each step of one batch.
struct BatchTimes {
  double waiting = 0;    // idle time between the previous batch and this batch
  double to_device = 0;  // sending the input, while other batches compute
  double esm2 = 0;
  double dnabert_s = 0;
  double classifier = 0;  // includes the check of the results
  double to_host = 0;     // sending the results back

  // Returns the seconds from the first kernel to the results; to_device comes before that kernel.
  constexpr double busy() const noexcept { return esm2 + dnabert_s + classifier + to_host; }
  constexpr double all() const noexcept { return waiting + busy(); }
};

struct BatchTimeField {
  std::string_view name;
  double BatchTimes::*seconds;
};

inline constexpr std::array kBatchTimeFields{BatchTimeField{"waiting", &BatchTimes::waiting},
                                             BatchTimeField{"to_device", &BatchTimes::to_device},
                                             BatchTimeField{"esm2", &BatchTimes::esm2},
                                             BatchTimeField{"dnabert_s", &BatchTimes::dnabert_s},
                                             BatchTimeField{"classifier", &BatchTimes::classifier},
                                             BatchTimeField{"to_host", &BatchTimes::to_host}};

// Returns the share (0 to 1) of the token budget that the batches filled; 0 if the budget is 0.
constexpr double packing_share(std::uint64_t esm_tokens, std::uint64_t budget_tokens) noexcept {
  if (budget_tokens == 0) return 0;
  return static_cast<double>(esm_tokens) / static_cast<double>(budget_tokens);
}

inline void add(BatchTimes& sum, const BatchTimes& times) noexcept {
  for (const BatchTimeField& field : kBatchTimeFields) sum.*field.seconds += times.*field.seconds;
}

// Memory of a worker's device at one moment, in bytes.
struct WorkerMemory {
  // Memory of the whole device, used by any program, as the CUDA runtime reports it:
  std::uint64_t device_used = 0;
  std::uint64_t device_total = 0;
  // Memory of the worker's own allocator:
  std::uint64_t reserved = 0;  // taken from the device
  std::uint64_t used = 0;      // the part of `reserved` that is allocated
  std::uint64_t peak = 0;      // the largest value of `used` so far
};

// The state of the queue when a batch was added.
enum class QueueState : std::uint8_t {
  kStarved,  // too few batches: a worker had nothing to do
  kNormal,
  kFull,  // no room: the host was ahead of the workers
};
inline constexpr std::array<std::string_view, 3> kQueueStateNames{"starved", "normal", "full"};

// Measurements of a batch whose results have arrived.
struct BatchMetrics {
  std::uint64_t batch = 0;   // in the order of packing, from 0
  std::uint32_t worker = 0;  // the worker that computed the batch, or its last part
  double time = 0;           // seconds since the run began
  std::uint64_t frames = 0;  // distinct frames
  std::uint64_t esm_tokens = 0;
  std::uint64_t dna_tokens = 0;
  std::uint64_t budget_tokens = 0;  // the token budget, or the tokens of a longer frame
  std::uint64_t queue = 0;          // batches ready or being computed when this batch was added
  QueueState queue_state = QueueState::kNormal;
  BatchTimes times{};
  std::chrono::steady_clock::time_point arrived{};  // when its results came from the worker
  std::optional<WorkerMemory> memory{};             // the worker's memory at `arrived`; empty: CPU

  std::uint64_t tokens() const noexcept { return esm_tokens + dna_tokens; }
  std::optional<double> tokens_per_sec() const noexcept {  // tokens() per second of busy()
    return times.busy() > 0 ? std::optional(static_cast<double>(tokens()) / times.busy())
                            : std::nullopt;
  }
  double packing() const noexcept { return packing_share(esm_tokens, budget_tokens); }
};

}  // namespace virnucpro
