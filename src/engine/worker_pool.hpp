#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "engine/batch_computer.hpp"
#include "engine/worker_messages.hpp"
#include "engine/worker_process.hpp"
#include "engine/worker_schedule.hpp"

namespace virnucpro {

// Worker processes that compute a run's batches, one for each of the settings' workers. Each sees
// one GPU at most. This process opens no GPU, because only the end of a process clears a faulted
// CUDA context. Whatever happens to a worker, each frame has one result, with the same bits, or is
// reported as failed (worker_schedule.hpp).
class WorkerPool : public BatchComputer {
 public:
  struct WorkerConfig {
    std::string name;         // for messages: "worker 1 (cuda:1)"
    std::string visible_gpu;  // UUID of the worker's only GPU; empty: it has none
    WorkerSetup setup{};
  };
  struct Settings {
    std::filesystem::path program;  // acts as a worker if called with `arguments`
    std::vector<std::string> arguments{kWorkerArgument};
    std::vector<WorkerConfig> workers;
    WorkerSchedule::Settings schedule{};  // the pool sets its member `workers`
  };

  // Returns when every worker is ready or was dropped. Errors: a worker's error in loading the
  // models; kDevice if workers would compute differently; kWorkersLost; kInterrupted/kTerminated.
  WorkerPool(const Settings& settings, const Cancel& cancel);
  // Kills the workers.
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Returns the hello that all workers agree on.
  const WorkerHello& hello() const;

  std::string kernel_path() const override { return hello().kernel_path; }
  std::uint32_t dnabert_s_width() const override { return hello().dnabert_s_width; }
  std::uint32_t esm2_width() const override { return hello().esm2_width; }
  std::size_t token_budget() const override;
  std::vector<EngineFacts> facts() const override;
  std::size_t workers() const override;  // includes dropped workers
  std::size_t most_outstanding() const override;
  void submit(BatchRequest request) override;
  std::size_t outstanding() const override;
  // Returns results like BatchComputer. Errors: kWorkersLost if no worker is left; kOutOfMemory for
  // a frame that fits in no worker's memory; kDevice if a restarted worker computes differently.
  std::optional<BatchResult> receive(bool wait) override;

 private:
  struct Shared;
  class Thread;
  std::unique_ptr<Shared> shared_;
  const Cancel& cancel_;
  std::size_t outstanding_ = 0;
  std::unique_ptr<Thread> thread_;  // last: it ends first
};

}  // namespace virnucpro
