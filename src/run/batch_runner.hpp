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

// Returns the packer's settings for a token budget.
PackSettings pack_settings(const ComputeSettings& settings, std::size_t token_budget);

// Callbacks of a batch runner, on the thread that calls the runner.
struct BatchHandlers {
  // Takes a frame's result, once for every number of the frame. `index` is the frame's place in the
  // batch's result.
  std::function<void(std::uint64_t number, const BatchResult& result, std::size_t index)> on_result;
  // Takes the result of a frame given to recompute().
  std::function<void(std::uint64_t number, const BatchResult& result, std::size_t index)>
      on_recomputed{};
  // Replaces `on_result` for a frame whose result is NaN or infinite in every worker that tried it:
  // a faulty worker must not decide a score's precision. The frame must then go to recompute().
  // Without this callback the frame is an error.
  std::function<void(std::uint64_t number)> on_not_finite{};
  // Takes a frame that could not be computed, or not again, once for every number of the frame.
  // `reason` has no full stop.
  std::function<void(std::uint64_t number, const std::string& reason)> on_failed;
  // Returns the name of a frame, for errors.
  std::function<std::string(std::uint64_t number)> name_of;
};

// Packs frames into batches, keeps the workers' queues filled, and passes each frame's result to
// the handlers. Results come out of order, during any call.
class BatchRunner {
 public:
  // The computer and the counters must outlive the runner. No other runner may use the computer.
  BatchRunner(BatchComputer& computer, const ComputeSettings& settings, RunCounters& counters,
              BatchHandlers handlers);

  // Throws errors of the computer, and kNotFinite, naming the frames with NaN or infinite results.
  void add(FrameTokens frame, std::uint64_t number);
  // Computes a frame again, in the computer's check precision. Handlers may call it.
  void recompute(FrameTokens frame, std::uint64_t number);
  // Takes the results that are ready.
  void collect_ready();
  // Submits the frames in the packers' windows. Returns the number of batches submitted so far.
  std::uint64_t empty_window();
  // Takes results until the first `batches` submitted batches are done.
  void wait_for(std::uint64_t batches);
  // Computes everything added so far, and all that handlers then recompute().
  void flush();
  // Takes results of submitted batches until a batch fails, for a run that ends early. A cancelled
  // computer gives its batches up after some seconds.
  void settle() noexcept;

 private:
  // A submitted batch, with the numbers of each of its frames.
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
  bool check_waits_ = false;                 // check_packer_ got a frame since it was emptied
  std::map<std::uint64_t, OpenBatch> open_;  // by id
  std::uint64_t next_batch_ = 0;
};

}  // namespace virnucpro
