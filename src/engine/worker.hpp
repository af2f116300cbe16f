#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch_computer.hpp"
#include "engine/engine.hpp"
#include "engine/messages.hpp"

namespace virnucpro {

// A thread that computes batches with an engine while its owner prepares the next batches.
class Worker : public BatchComputer {
 public:
  // submit() blocks while `in_flight` batches wait. The engine must outlive the worker, and only
  // the worker may use the engine.
  Worker(Engine& engine, std::size_t in_flight);
  // Drops all batches that are not finished.
  ~Worker() override;

  EngineFacts facts() const override;
  std::vector<EngineFacts> facts_of_workers() const override { return {facts()}; }
  std::size_t workers() const override { return 1; }
  std::size_t most_outstanding() const override;
  void submit(BatchRequest request) override;
  std::size_t outstanding() const override;
  // Returns results in the order of the submit() calls. Rethrows the engine's error.
  std::optional<BatchResult> receive(bool wait) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace virnucpro
