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

// Worker processes that compute a run's batches, one for each of the settings' workers. Whatever
// becomes of one of them, each frame is answered once, with the same bits, or is given up by name
// (worker_schedule.hpp); in this process no device is opened.
class WorkerPool : public BatchComputer {
 public:
  struct WorkerConfig {
    std::string name;         // for messages: "worker 1 (cuda:1)"
    std::string visible_gpu;  // the one GPU that it sees, by UUID; empty: it computes on the CPU
    WorkerSetup setup{};
  };
  struct Settings {
    std::filesystem::path program;  // a worker, when it is called with `arguments`
    std::vector<std::string> arguments{kWorkerArgument};
    std::vector<WorkerConfig> workers;
    WorkerSchedule::Settings schedule{};  // its count of workers is set here
  };

  // Returns when all of them could compute, or have been given up. Errors: what a worker says when
  // its models cannot be loaded; kDevice when they would not compute alike; kWorkersLost;
  // kInterrupted/kTerminated.
  WorkerPool(const Settings& settings, const Cancel& cancel);
  // Kills them.
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // What all of them said of themselves.
  const WorkerHello& hello() const;

  std::string kernel_path() const override { return hello().kernel_path; }
  std::uint32_t dnabert_s_width() const override { return hello().dnabert_s_width; }
  std::uint32_t esm2_width() const override { return hello().esm2_width; }
  std::size_t token_budget() const override;
  std::size_t workers() const override;  // those that were given up count, too
  std::size_t most_outstanding() const override;
  void submit(BatchRequest request) override;
  std::size_t outstanding() const override;
  // Errors: kWorkersLost when none is left; kOutOfMemory for a frame that no worker has the memory
  // for; kDevice when one that was started again does not compute as the others.
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
