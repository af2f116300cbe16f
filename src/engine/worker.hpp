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

// A thread that runs batches through an engine while its owner packs the next ones.
class Worker : public BatchComputer {
 public:
  // submit() waits while `in_flight` batches wait. The engine must outlive the worker, and nothing
  // else may use the engine.
  Worker(Engine& engine, std::size_t in_flight);
  // Drops the batches that were not started.
  ~Worker() override;

  std::string kernel_path() const override;
  std::uint32_t dnabert_s_width() const override;
  std::uint32_t esm2_width() const override;
  std::size_t token_budget() const override;
  std::vector<EngineFacts> facts() const override;
  std::size_t workers() const override { return 1; }
  std::size_t most_outstanding() const override;
  void submit(BatchRequest request) override;
  std::size_t outstanding() const override;
  // Returns results in the order of submit(). Rethrows the engine's error.
  std::optional<BatchResult> receive(bool wait) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace virnucpro
