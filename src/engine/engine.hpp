#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/cancel.hpp"
#include "engine/messages.hpp"
#include "ops/context.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The results to compute for a batch.
struct EngineOutputs {
  bool scores = true;
  bool dnabert_s = false;
  bool esm2 = false;
};

// The models of one run; one that no output needs is empty.
struct EngineModels {
  DnabertWeights dnabert_s;
  Esm2Weights esm2;
  ClassifierWeights classifier;
};

struct EngineSettings {
  std::size_t threads = 1;  // on the CPU; for a GPU, threads that load weights
  Precision precision = Precision::kFp32;
  EngineOutputs outputs{};
  std::optional<int> gpu{};  // a CUDA device; empty: the CPU
  // Tokens of a batch, of either model, for which memory is reserved; a longer batch allocates more
  // when it comes. 0: the device chooses.
  std::size_t token_budget = 0;
};

class EngineDevice;  // engine_device.hpp

// Computes scores and embeddings of batches on one device. Both models stay in its memory.
class Engine {
 public:
  // Errors: kCpu, kDevice, kOutOfMemory, kWeights*; kWeightsTensor if the classifier's width is not
  // the sum of both models' widths.
  Engine(const EngineModels& models, const EngineSettings& settings, const Cancel& cancel);
  // With a device that the caller made.
  explicit Engine(std::unique_ptr<EngineDevice> device);
  ~Engine();

  // The code that computes: "cpu-avx2", "cpu-avx512", "cpu-avx512-bf16", "cuda-generic",
  // "cuda-sm90a". Scores are the same bytes only within one such path and precision.
  std::string kernel_path() const;
  std::uint32_t dnabert_s_width() const;
  std::uint32_t esm2_width() const;

  // Tokens of a batch: as in the settings, or fewer if the device's memory does not suffice.
  std::size_t token_budget() const;

  // How many batches may be begun before the first is finished: a GPU computes one while the next
  // is sent to it. Results come in the order begun.
  std::size_t depth() const;
  // Some seconds after a cancellation both throw kInterrupted/kTerminated between two layers
  // (Cancel::check_late).
  void begin(const BatchRequest& request);
  BatchResult finish();

  BatchResult run(const BatchRequest& request);

 private:
  std::unique_ptr<EngineDevice> device_;
};

}  // namespace virnucpro
