#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/messages.hpp"

namespace virnucpro {

// Whoever computes batches for a run: a thread of this process (worker.hpp), or processes of their
// own (worker_pool.hpp). One thread at a time may use it.
class BatchComputer {
 public:
  virtual ~BatchComputer() = default;

  // Which code computes, and how wide its embeddings are, 0 for a model that is not computed:
  // engine.hpp.
  virtual std::string kernel_path() const = 0;
  virtual std::uint32_t dnabert_s_width() const = 0;
  virtual std::uint32_t esm2_width() const = 0;
  // Tokens of a batch, of either model, that every worker has the memory for.
  virtual std::size_t token_budget() const = 0;

  virtual std::size_t workers() const = 0;  // that compute beside each other
  // With fewer batches than this outstanding submit() never waits, and with so many no worker is
  // ever without one.
  virtual std::size_t most_outstanding() const = 0;
  // Ids differ while their batches are outstanding.
  virtual void submit(BatchRequest request) = 0;
  virtual std::size_t outstanding() const = 0;  // submitted and not yet received

  // A finished batch, in any order: one that is there already or, when `wait`, the next one, which
  // needs a batch to be outstanding. Rethrows what ended the computing. Waits on for a while when
  // it is cancelled, for batches that are worth their end: kInterrupted/kTerminated
  // (Cancel::check_late).
  virtual std::optional<BatchResult> receive(bool wait) = 0;
};

}  // namespace virnucpro
