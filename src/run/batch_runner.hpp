#pragma once

#include <array>
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

PackSettings pack_settings(const ComputeSettings& settings, std::size_t token_budget);

// Callbacks of a batch runner, on the thread that calls the runner.
struct BatchHandlers {
  // Receives a frame's result. Equal frames are computed once, and this callback is called for each
  // of their numbers.
  std::function<void(std::uint64_t number, const FrameResult& result)> on_result;
  // Receives the result of a frame that was given to recompute().
  std::function<void(std::uint64_t number, const FrameResult& result)> on_recomputed{};
  // Called instead of `on_result` for a frame whose result is NaN or infinite in every worker that
  // tried it. A second worker tries it, so that a faulty worker cannot change a score's precision.
  // The callback must give the frame to recompute(). Without a callback, such a result is an error.
  std::function<void(std::uint64_t number)> on_not_finite{};
  // Called for each number of a frame that could not be computed, or could not be computed again.
  // `reason` has no full stop.
  std::function<void(std::uint64_t number, const std::string& reason)> on_failed;
  // Returns a frame's name for error messages.
  std::function<std::string(std::uint64_t number)> name_of;
};

// Packs frames into batches, keeps the workers' queues filled, and passes each frame's result to
// the handlers. Every function except recompute() may deliver results, in any order.
class BatchRunner {
 public:
  // The computer and the counters must outlive the runner. No other runner may use the computer.
  BatchRunner(BatchComputer& computer, const ComputeSettings& settings, RunCounters& counters,
              BatchHandlers handlers);

  // Adds a frame. Errors: the computer's; kNotFinite, naming frames with NaN or infinite results.
  void add(FrameTokens frame, std::uint64_t number);
  // Adds a frame to be computed again in the check precision. Handlers may call this function.
  void recompute(FrameTokens frame, std::uint64_t number);
  // Delivers the results that are ready, without waiting.
  void collect_ready();
  // Submits all frames that wait in the packers. Returns the number of batches submitted so far.
  std::uint64_t empty_window();
  // Delivers results until the first `batches` submitted batches are done.
  void wait_for(std::uint64_t batches);
  // Computes all frames added so far, and all frames that handlers give to recompute() meanwhile.
  void flush();
  // Delivers the results of submitted batches, for a run that ends early. Stops at the first batch
  // that fails. A cancelled computer abandons its batches after some seconds.
  void settle() noexcept;

 private:
  // A submitted batch, with the numbers of each of its frames.
  struct OpenBatch {
    BatchMetrics metrics{};
    std::vector<std::vector<std::uint64_t>> occurrences;
    std::uint32_t model = kRunModel;
  };

  bool submit_one(std::uint32_t model, std::optional<PackedBatch> (Packer::*choose)());
  void submit_full(std::uint32_t model);
  void submit(PackedBatch batch, std::uint32_t model);
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
  std::array<Packer, kMostModels> packers_;  // by model
  bool check_waits_ = false;                 // kCheckModel's packer may have frames to submit
  std::map<std::uint64_t, OpenBatch> open_;  // by id
  std::uint64_t next_batch_ = 0;
};

}  // namespace virnucpro
