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

// Worker processes that compute a run's batches. Each worker process uses at most one GPU. The
// parent process opens no GPU, because a faulted CUDA context is cleared only when its process
// ends. If workers fail, every frame still has one result, with the same bits, or is reported as
// failed (worker_schedule.hpp says how).
class WorkerPool : public BatchComputer {
 public:
  struct WorkerConfig {
    std::string name;         // for messages: "worker 1 (cuda:1)"
    std::string visible_gpu;  // UUID of the worker's only GPU; empty: no GPU
    WorkerSetup setup{};
  };
  struct Settings {
    std::filesystem::path program;  // acts as a worker if called with `arguments`
    std::vector<std::string> arguments{kWorkerArgument};
    std::vector<WorkerConfig> workers;
    WorkerSchedule::Settings schedule{};  // the pool sets its member `workers`
  };

  // Waits until every worker is ready or dropped. Errors: those of loading models; kDevice if
  // workers would compute differently; kWeightsChanged if they read different files; kWorkersLost;
  // kInterrupted, kTerminated.
  WorkerPool(const Settings& settings, const Cancel& cancel);
  // Kills the worker processes.
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Returns the first worker's hello. All others have the same description and widths.
  const WorkerHello& hello() const;

  EngineFacts facts() const override;
  std::vector<EngineFacts> facts_of_workers() const override;
  std::size_t workers() const override;  // includes dropped workers
  std::size_t most_outstanding() const override;
  void submit(BatchRequest request) override;
  std::size_t outstanding() const override;
  // Works like BatchComputer::receive(). Errors: kWorkersLost if no worker is left; kOutOfMemory if
  // a frame fits in no worker's memory; kDevice if a restarted worker computes differently.
  std::optional<BatchResult> receive(bool wait) override;

 private:
  struct Shared;
  class Thread;
  std::unique_ptr<Shared> shared_;
  const Cancel& cancel_;
  std::size_t outstanding_ = 0;
  std::unique_ptr<Thread> thread_;  // last member, so that the thread ends first
};

}  // namespace virnucpro
