#pragma once

#include <cstdint>
#include <memory>
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
  std::size_t threads = 1;
  Precision precision = Precision::kFp32;
  EngineOutputs outputs;
};

// Batch → scores and embeddings on one device, here the CPU. Both models are resident.
class Engine {
 public:
  // Errors: kCpu, kWeights*, kWeightsTensor when the classifier's width is not the sum of both.
  Engine(const EngineModels& models, const EngineSettings& settings, const Cancel& cancel);
  ~Engine();

  // Which code computes: "cpu-avx2", "cpu-avx512", "cpu-avx512-bf16". Scores are the same bytes
  // within one path and precision only.
  std::string kernel_path() const;
  std::uint32_t dnabert_s_width() const;
  std::uint32_t esm2_width() const;

  // Throws kInterrupted/kTerminated between two layers once cancelled.
  BatchResult run(const BatchRequest& request);

 private:
  struct Models;
  std::unique_ptr<Models> models_;
};

}  // namespace virnucpro
