#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine_facts.hpp"
#include "engine/messages.hpp"

namespace virnucpro {

// Computes batches for a run: in a thread of this process (worker.hpp), or in worker processes
// (worker_pool.hpp). Only one thread at a time may use it.
class BatchComputer {
 public:
  virtual ~BatchComputer() = default;

  // Return the name of the code that computes, and the widths of its embeddings (engine.hpp). The
  // width is 0 for a model that is not computed.
  virtual std::string kernel_path() const = 0;
  virtual std::uint32_t dnabert_s_width() const = 0;
  virtual std::uint32_t esm2_width() const = 0;
  // Returns the batch size, in tokens of either model, that fits in every worker's memory.
  virtual std::size_t token_budget() const = 0;
  // Returns the facts of each worker's engine from when it was ready.
  virtual std::vector<EngineFacts> facts() const = 0;

  virtual std::size_t workers() const = 0;  // number that compute in parallel
  // Returns the number of outstanding batches that keeps every worker busy. submit() never waits
  // while fewer are outstanding.
  virtual std::size_t most_outstanding() const = 0;
  // Ids of outstanding batches must differ.
  virtual void submit(BatchRequest request) = 0;
  virtual std::size_t outstanding() const = 0;  // submitted but not yet received

  // Returns a finished batch, in any order: a ready batch or, if `wait`, the next (a batch must
  // then be outstanding). Rethrows the error that ended computing. When cancelled, it waits a
  // little longer for batches that are worth it (Cancel::check_late), then throws kInterrupted or
  // kTerminated.
  virtual std::optional<BatchResult> receive(bool wait) = 0;
};

}  // namespace virnucpro
