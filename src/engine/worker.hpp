#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "engine/messages.hpp"

namespace virnucpro {

// A thread that runs batches through an engine while its owner packs the next ones.
class Worker {
 public:
  // At most `in_flight` batches wait for it: submit() blocks beyond that. The engine outlives it,
  // and is nobody else's meanwhile.
  Worker(Engine& engine, std::size_t in_flight);
  // Gives up what has not been started.
  ~Worker();

  void submit(BatchRequest request);
  // A finished batch, in the order submitted; waits for one when `wait`, which needs a batch to be
  // outstanding. Rethrows what the engine threw.
  std::optional<BatchResult> receive(bool wait);
  std::size_t outstanding() const;  // submitted and not yet received

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace virnucpro
