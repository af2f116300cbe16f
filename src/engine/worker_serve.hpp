#pragma once

#include <functional>
#include <memory>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "engine/engine.hpp"
#include "engine/worker_messages.hpp"
#include "engine/worker_process.hpp"

namespace virnucpro {

// A worker process's models, built into an engine.
struct WorkerModels {
  std::unique_ptr<Engine> engine;
  WorkerHello hello;
};
using LoadWorkerModels = std::function<WorkerModels(const WorkerSetup&, const Cancel&)>;

// Makes the process one that ends with the thread that started it and leaves signals to it, and
// gives the socket to it. Errors: kUsage for a process that was not started as a worker.
UniqueFd become_worker();

// A worker process's whole life: loads what the setup names, says hello, and computes the batches
// that come, until the socket is closed; then it stops between two layers. What goes wrong is
// answered, and is no exception; so are log messages.
void serve_batches(const UniqueFd& socket, const LoadWorkerModels& load);

}  // namespace virnucpro
