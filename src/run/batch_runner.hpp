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

// The packer's settings for a token budget.
PackSettings pack_settings(const ComputeSettings& settings, std::size_t token_budget);

// Called by a batch runner, on the thread that calls it.
struct BatchHandlers {
  // A frame's result, once for every number with which it was added; `index` is its place in the
  // batch's result.
  std::function<void(std::uint64_t number, const BatchResult& result, std::size_t index)> on_result;
  // The same of frames that were given to recompute().
  std::function<void(std::uint64_t number, const BatchResult& result, std::size_t index)>
      on_recomputed{};
  // In place of `on_result` for a frame whose result is NaN or infinite, to be given to
  // recompute(); without it, such a frame is an error.
  std::function<void(std::uint64_t number)> on_not_finite{};
  // A frame could not be computed, or not again; once for each of its numbers. `reason` has no full
  // stop.
  std::function<void(std::uint64_t number, const std::string& reason)> on_failed;
  // The name of a number, for an error.
  std::function<std::string(std::uint64_t number)> name_of;
};

// Packs frames into batches, keeps the workers' queues filled, and returns each frame's result for
// every number with which it was added: out of order, during any of its functions.
class BatchRunner {
 public:
  // Computer and counters must outlive it. All of the computer's batches must be this runner's.
  BatchRunner(BatchComputer& computer, const ComputeSettings& settings, RunCounters& counters,
              BatchHandlers handlers);

  // Errors: those of the computer; kNotFinite, naming the frames whose results are NaN or infinite.
  void add(FrameTokens frame, std::uint64_t number);
  // Has a frame computed once more, in the computer's check precision. Handlers may call it.
  void recompute(FrameTokens frame, std::uint64_t number);
  // Takes the results that are ready.
  void collect_ready();
  // Submits what waits in the packers' windows. Returns the number of batches submitted so far.
  std::uint64_t empty_window();
  // Takes results until the first `batches` submitted batches are done.
  void wait_for(std::uint64_t batches);
  // Computes everything added so far, and what handlers recompute() of it.
  void flush();
  // For a run that ends early: takes results of submitted batches until one fails. A cancelled
  // computer gives them up after a while.
  void settle() noexcept;

 private:
  // What is known of a submitted batch, and the numbers of each of its frames.
  struct OpenBatch {
    BatchMetrics metrics{};
    std::vector<std::vector<std::uint64_t>> occurrences;
    bool check = false;
  };

  std::optional<PackedBatch> pack(Packer& packer, std::optional<PackedBatch> (Packer::*choose)());
  void submit_full(Packer& packer);
  void submit(PackedBatch batch, bool check);
  void receive_ready();
  BatchMetrics metrics_of(const PackedBatch& batch, std::uint64_t id, std::size_t queue) const;
  bool receive(bool wait);
  std::optional<BatchResult> wait_for_result();
  void deliver(const BatchResult& result);
  void deliver(const BatchResult& result, const OpenBatch& batch, std::size_t index,
               const std::string* failure);
  void check_finite(const BatchResult& result, const OpenBatch& batch) const;

  const std::size_t token_budget_;
  BatchComputer& computer_;
  RunCounters& counters_;
  BatchHandlers handlers_;
  Packer packer_;
  Packer check_packer_;
  bool check_waits_ = false;  // whether check_packer_ was given a frame since it was emptied
  std::map<std::uint64_t, OpenBatch> open_;  // by id
  std::uint64_t next_batch_ = 0;
};

}  // namespace virnucpro
