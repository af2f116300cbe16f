#pragma once

#include <functional>
#include <memory>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "engine/engine.hpp"
#include "engine/worker_messages.hpp"
#include "engine/worker_process.hpp"

namespace virnucpro {

// A worker process's engine with its models, and its first message.
struct WorkerModels {
  std::unique_ptr<Engine> engine;
  WorkerHello hello;
};
using LoadWorkerModels = std::function<WorkerModels(const WorkerSetup&, const Cancel&)>;

// Makes this process a worker and returns its socket. The process then dies with the thread that
// started it, cannot gain rights, and leaves signals to its parent. Errors: kUsage if it was not
// started as a worker.
UniqueFd become_worker();

// Runs a worker: loads the setup's models, says hello, and computes batches until the socket is
// closed; then it stops between two layers. Errors and log messages are sent, not thrown.
void serve_batches(const UniqueFd& socket, const LoadWorkerModels& load);

}  // namespace virnucpro
