#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine_facts.hpp"
#include "engine/messages.hpp"

namespace virnucpro {

// Computes the batches of a run, in a thread of this process (worker.hpp) or in worker processes
// (worker_pool.hpp). Only one thread at a time may use this object.
class BatchComputer {
 public:
  virtual ~BatchComputer() = default;

  // Returns the facts of the worker with the smallest token budget: its batches fit in the memory
  // of every worker. Kernel path and widths are those of all workers.
  virtual EngineFacts facts() const = 0;
  // Returns each worker's engine facts, as they were when the worker became ready.
  virtual std::vector<EngineFacts> facts_of_workers() const = 0;

  virtual std::size_t workers() const = 0;  // workers that compute in parallel
  // Returns how many outstanding batches keep every worker busy. submit() does not wait while fewer
  // batches are outstanding.
  virtual std::size_t most_outstanding() const = 0;
  // Adds a batch. The ids of all outstanding batches must differ.
  virtual void submit(BatchRequest request) = 0;
  virtual std::size_t outstanding() const = 0;  // batches that were submitted but not received

  // Returns a finished batch; batches may come in any order. If no batch is finished, waits for one
  // if `wait` is true, else returns nothing. With `wait`, at least one batch must be outstanding.
  // Rethrows the error that ended the computation. If no batch is finished some seconds after a
  // cancellation (Cancel::check_late), throws kInterrupted or kTerminated.
  virtual std::optional<BatchResult> receive(bool wait) = 0;
};

}  // namespace virnucpro
