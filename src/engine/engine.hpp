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

// What a batch is to give.
struct EngineOutputs {
  bool scores = true;
  bool dnabert_s = false;
  bool esm2 = false;
};

// The models of one run; a model that no output needs is left empty.
struct EngineModels {
  DnabertWeights dnabert_s;
  Esm2Weights esm2;
  ClassifierWeights classifier;
};

struct EngineSettings {
  std::size_t threads = 1;  // on the CPU; on a GPU those that load the weights
  Precision precision = Precision::kFp32;
  EngineOutputs outputs{};
  std::optional<int> gpu{};  // a CUDA device; empty: the CPU
  // Tokens of a batch, of either model, that memory is planned for; a longer one takes more when it
  // comes. 0: the device's own choice.
  std::size_t token_budget = 0;
};

class EngineDevice;  // engine_device.hpp

// Batch → scores and embeddings on one device. Both models are resident.
class Engine {
 public:
  // Errors: kCpu, kDevice, kOutOfMemory, kWeights*, kWeightsTensor when the classifier's width is
  // not the sum of both.
  Engine(const EngineModels& models, const EngineSettings& settings, const Cancel& cancel);
  // On a device of the caller's own.
  explicit Engine(std::unique_ptr<EngineDevice> device);
  ~Engine();

  // Which code computes: "cpu-avx2", "cpu-avx512", "cpu-avx512-bf16", "cuda-generic", "cuda-sm90a".
  // Scores are the same bytes within one path and precision only.
  std::string kernel_path() const;
  std::uint32_t dnabert_s_width() const;
  std::uint32_t esm2_width() const;

  // Tokens of a batch: those asked for, or fewer where the device's memory does not hold them.
  std::size_t token_budget() const;

  // A GPU computes one batch while the next is sent to it: so many may be begun before the first is
  // finished. Results come in the order begun.
  std::size_t depth() const;
  // Both throw kInterrupted/kTerminated between two layers some seconds after they were cancelled
  // (Cancel::check_late).
  void begin(const BatchRequest& request);
  BatchResult finish();

  BatchResult run(const BatchRequest& request);

 private:
  std::unique_ptr<EngineDevice> device_;
};

}  // namespace virnucpro
