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

// Makes this process a worker: it dies with the thread that started it, can gain no rights, leaves
// signals to the parent, and gets the socket. Errors: kUsage if it was not started as a worker.
UniqueFd become_worker();

// A worker's main loop: loads the models of the setup, says hello, and computes batches until the
// socket is closed; then it stops between two layers. Errors and log messages are sent as messages,
// not thrown.
void serve_batches(const UniqueFd& socket, const LoadWorkerModels& load);

}  // namespace virnucpro
