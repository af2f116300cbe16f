#pragma once

#include <functional>
#include <memory>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "engine/engine.hpp"
#include "engine/worker_messages.hpp"
#include "engine/worker_process.hpp"

namespace virnucpro {

// A worker process's engine with its models, and the hello to send.
struct WorkerModels {
  std::unique_ptr<Engine> engine;
  WorkerHello hello;
};
using LoadWorkerModels = std::function<WorkerModels(const WorkerSetup&, const Cancel&)>;

// Makes this process a worker and returns its socket. The process is killed when the thread that
// started it ends, it cannot gain rights, and it ignores SIGINT, SIGTERM and SIGHUP. Errors: kUsage
// if it was not started as a worker.
UniqueFd become_worker();

// Runs a worker: loads the setup's models, sends its hello, and computes batches until the socket
// is closed; then it stops between two layers. Sends errors and log messages to the parent.
void serve_batches(const UniqueFd& socket, const LoadWorkerModels& load);

}  // namespace virnucpro
