#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch_computer.hpp"
#include "observe/counters.hpp"
#include "run/settings.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// How the frames of a run are packed at a token budget.
PackSettings pack_settings(const ComputeSettings& settings, std::size_t token_budget);

// What a batch runner calls back, from the thread that calls it.
struct BatchHandlers {
  // A frame's result, once for every number under which it was added; `index` is its place in the
  // batch's result.
  std::function<void(std::uint64_t number, const BatchResult& result, std::size_t index)> on_result;
  // A frame that was given up, once for every number; `reason` is a sentence without its end.
  std::function<void(std::uint64_t number, const std::string& reason)> on_failed;
  // Names a number for an error.
  std::function<std::string(std::uint64_t number)> name_of;
};

// Frames in, results out: packs them, keeps the workers' queues filled, and hands each result back
// for every number under which its frame was added, out of order, during any of its functions.
class BatchRunner {
 public:
  // The computer, whose batches are all this runner's, and the counters outlive it.
  BatchRunner(BatchComputer& computer, const ComputeSettings& settings, RunCounters& counters,
              BatchHandlers handlers);

  // Errors: those of the computer; kNotFinite, naming the frames whose results are NaN or infinite.
  void add(FrameTokens frame, std::uint64_t number);
  // Takes the results that are there.
  void collect_ready();
  // Submits what waits in the packer's window; how many batches were submitted so far.
  std::uint64_t empty_window();
  // Takes results until so many batches, of those submitted first, are answered.
  void wait_for(std::uint64_t batches);
  // Computes everything added so far.
  void flush() { wait_for(empty_window()); }
  // Of a run that ends early: takes the results of the batches under way, until one fails. A
  // cancelled computer gives them up after a while.
  void settle() noexcept;

 private:
  // A batch that a worker has: what is known of it, and the numbers of each of its frames.
  struct OpenBatch {
    BatchMetrics metrics{};
    std::vector<std::vector<std::uint64_t>> occurrences;
  };

  std::optional<PackedBatch> pack(std::optional<PackedBatch> (Packer::*choose)());
  void submit(PackedBatch batch);
  BatchMetrics metrics_of(const PackedBatch& batch, std::uint64_t id, std::size_t queue) const;
  bool receive(bool wait);
  std::optional<BatchResult> wait_for_result();
  void deliver(const BatchResult& result);
  void check_finite(const BatchResult& result, const OpenBatch& batch) const;

  const std::size_t token_budget_;
  BatchComputer& computer_;
  RunCounters& counters_;
  BatchHandlers handlers_;
  Packer packer_;
  std::map<std::uint64_t, OpenBatch> open_;  // by id
  std::uint64_t next_batch_ = 0;
};

}  // namespace virnucpro
