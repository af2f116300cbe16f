#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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

  // True if the model is computed; scores need both models.
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
  std::size_t threads = 1;  // that compute on the CPU, or load weights for a GPU
  Precision precision = Precision::kFp32;
  Int8Policy int8_policy{};  // for Precision::kInt8
  // Allows set_int8_policy(): the engine has ESM-2's linears in 8 and in 16 bits. All linears
  // compute in 8 bits at first, whatever the policy.
  bool any_int8_policy = false;
  // Precision of batches with BatchRequest::check set.
  std::optional<Precision> check_precision{};
  EngineOutputs outputs{};
  std::optional<int> gpu{};  // a CUDA device; empty: the CPU
  // Tokens of a batch, of either model, for which memory is reserved; 0: the device chooses. A
  // longer batch allocates more memory when it comes.
  std::size_t token_budget = 0;
};

// Computes a batch's scores and embeddings on one device, which holds both models.
class Engine {
 public:
  virtual ~Engine() = default;

  // Returns the name of the code that computes, from cpu_kernel_path() or cuda_kernel_path().
  // Scores are the same bytes only for equal names and precisions.
  virtual std::string kernel_path() const = 0;
  virtual std::uint32_t dnabert_s_width() const = 0;
  virtual std::uint32_t esm2_width() const = 0;

  // Returns the limit of a batch's tokens: that of the settings, or less if memory is too small.
  virtual std::size_t token_budget() const = 0;
  virtual EngineFacts facts() const = 0;

  // Returns how many batches may be begun before the first is finished: a GPU computes one batch
  // while the next is sent. Results come in the order of begin().
  virtual std::size_t depth() const = 0;
  // begin() and finish() throw kInterrupted or kTerminated between two layers, some seconds after a
  // cancellation (Cancel::check_late).
  virtual void begin(const BatchRequest& request) = 0;
  virtual BatchResult finish() = 0;

  // Sets the policy of the batches that begin from now on. Errors: kInternal without
  // EngineSettings::any_int8_policy.
  virtual void set_int8_policy(const Int8Policy& policy);

  BatchResult run(const BatchRequest& request) {
    begin(request);
    return finish();
  }
};

// Makes an engine on the GPU or the CPU, as the settings say. Errors: kCpu, kDevice, kPrecision,
// kOutOfMemory, kWeights*; kWeightsTensor if the classifier's inputs are not both widths together.
std::unique_ptr<Engine> make_engine(const EngineModels& models, const EngineSettings& settings,
                                    const Cancel& cancel);

// Makes the engine for make_engine(), which has checked the widths.
std::unique_ptr<Engine> make_cpu_engine(const EngineModels& models, const EngineSettings& settings,
                                        const Cancel& cancel);
// Makes the engine for a GPU. Errors: kDevice in a program that was built without CUDA.
std::unique_ptr<Engine> make_cuda_engine(const EngineModels& models, const EngineSettings& settings,
                                         const Cancel& cancel);

}  // namespace virnucpro
