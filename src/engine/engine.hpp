#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/cancel.hpp"
#include "engine/engine_facts.hpp"
#include "engine/messages.hpp"
#include "ops/context.hpp"
#include "ops/int8_policy.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The results to compute for a batch.
struct EngineOutputs {
  bool scores = true;
  bool dnabert_s = false;
  bool esm2 = false;

  // True if an output needs this model. Scores need both models.
  bool needs_dnabert_s() const { return scores || dnabert_s; }
  bool needs_esm2() const { return scores || esm2; }
};

// The models of one run. A model that no output needs is empty.
struct EngineModels {
  DnabertWeights dnabert_s;
  Esm2Weights esm2;
  ClassifierWeights classifier;
};

struct EngineSettings {
  std::size_t threads = 1;  // threads that compute on the CPU; unused on a GPU
  // The engine holds the models in all these precisions. BatchRequest::model is an index of one.
  std::vector<Precision> precisions{Precision::kFp32};
  Int8Policy int8_policy{};  // for Precision::kInt8
  EngineOutputs outputs{};
  std::optional<int> gpu{};      // index of a CUDA device; empty for the CPU
  bool generic_kernels = false;  // true: a Hopper GPU uses the generic kernels, too
  // Memory is reserved for batches of this many tokens of either model; with 0 the engine chooses
  // the number. A larger batch allocates more memory when it begins.
  std::size_t token_budget = 0;
};

// Computes the scores and embeddings of batches on one device, where all models are loaded.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual const EngineFacts& facts() const = 0;

  // At most facts().depth batches may be in progress. finish() returns results in the order in
  // which begin() got the batches. Both throw kInterrupted or kTerminated between two layers, some
  // seconds after a cancellation (Cancel::check_late).
  virtual void begin(const BatchRequest& request) = 0;
  virtual BatchResult finish() = 0;

  BatchResult run(const BatchRequest& request) {
    begin(request);
    return finish();
  }
};

// Makes an engine on the settings' GPU or the CPU. Errors: kCpu, kDevice, kOutOfMemory,
// kWeights*; kWeightsTensor if the classifier's inputs are not the sum of both models' widths.
std::unique_ptr<Engine> make_engine(const EngineModels& models, const EngineSettings& settings,
                                    const Cancel& cancel);

// Makes an engine that computes each batch with the value that `policy` has when the batch begins,
// so that a search can try many policies with weights that are loaded once. The engine stores
// ESM-2's linears in 8 bits and in fp16 (on the CPU: fp32), and ignores settings.int8_policy.
// ESM-2's biases are corrected once, with all linears in 8 bits, whatever `policy` says then.
// `policy` must outlive the engine.
std::unique_ptr<Engine> make_search_engine(const EngineModels& models,
                                           const EngineSettings& settings, const Int8Policy& policy,
                                           const Cancel& cancel);

// Both functions above call these, for the CPU and for a GPU. `searched` is the policy of
// make_search_engine(), or null. Errors: kDevice for a GPU if the program was built without CUDA.
std::unique_ptr<Engine> make_cpu_engine(const EngineModels& models, const EngineSettings& settings,
                                        const Int8Policy* searched, const Cancel& cancel);
std::unique_ptr<Engine> make_cuda_engine(const EngineModels& models, const EngineSettings& settings,
                                         const Int8Policy* searched, const Cancel& cancel);

}  // namespace virnucpro
