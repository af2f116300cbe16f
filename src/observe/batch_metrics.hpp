#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace virnucpro {

// Seconds of one batch, as its device measured them.
struct BatchTimes {
  double waiting = 0;    // with nothing to do, between the batch before and this one
  double to_device = 0;  // the input's way, while other batches compute
  double esm2 = 0;
  double dnabert_s = 0;
  double classifier = 0;  // and the check of its results
  double to_host = 0;     // the results' way back

  // From the first kernel to the results: the input was there by then.
  double busy() const noexcept { return esm2 + dnabert_s + classifier + to_host; }
  double all() const noexcept { return waiting + busy(); }
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

// How much of a batch, or of many, was filled: 0 to 1, and 0 where there was nothing to fill.
constexpr double packing_share(std::uint64_t esm_tokens, std::uint64_t budget_tokens) noexcept {
  if (budget_tokens == 0) return 0;
  return static_cast<double>(esm_tokens) / static_cast<double>(budget_tokens);
}

void add(BatchTimes& sum, const BatchTimes& times) noexcept;

// How many batches lay ready for the workers when one more was put there.
enum class QueueState : std::uint8_t {
  kStarved,  // too few: some worker had nothing to do
  kNormal,
  kFull,  // no place: the host was ahead of the workers
};
inline constexpr std::array<std::string_view, 3> kQueueStateNames{"starved", "normal", "full"};

// What is known of a batch once its results are there.
struct BatchMetrics {
  std::uint64_t batch = 0;   // in the order they were packed, from 0
  std::uint32_t worker = 0;  // that computed it (of several, the last part)
  double time = 0;           // seconds since the run began
  std::uint64_t frames = 0;  // different ones
  std::uint64_t esm_tokens = 0;
  std::uint64_t dna_tokens = 0;
  std::uint64_t budget_tokens = 0;  // that it could have held
  std::uint64_t queue = 0;          // batches that were ready or computing when it was put there
  QueueState queue_state = QueueState::kNormal;
  BatchTimes times{};
};

}  // namespace virnucpro
