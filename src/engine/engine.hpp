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

  // Scores need both models.
  bool needs_dnabert_s() const { return scores || dnabert_s; }
  bool needs_esm2() const { return scores || esm2; }
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
  Int8Policy int8_policy{};  // for Precision::kInt8
  // Allows set_int8_policy(): the engine has ESM-2's linears in 8 and in 16 bits. All compute in 8
  // bits at first, whatever the policy.
  bool any_int8_policy = false;
  // Precision of batches with BatchRequest::check set.
  std::optional<Precision> check_precision{};
  EngineOutputs outputs{};
  std::optional<int> gpu{};  // a CUDA device; empty: the CPU
  // Tokens of a batch, of either model, for which memory is reserved; a longer batch allocates more
  // when it comes. 0: the device chooses.
  std::size_t token_budget = 0;
};

// Batch → scores and embeddings on one device. Both models are resident.
class Engine {
 public:
  virtual ~Engine() = default;

  // Returns the name of the code that computes, from cpu_kernel_path() or cuda_kernel_path().
  // Scores are the same bytes within one path and precision only.
  virtual std::string kernel_path() const = 0;
  virtual std::uint32_t dnabert_s_width() const = 0;
  virtual std::uint32_t esm2_width() const = 0;

  // Returns the tokens of a batch: as in the settings, or fewer if the memory is too small.
  virtual std::size_t token_budget() const = 0;
  virtual EngineFacts facts() const = 0;

  // The most batches that may be begun before the first is finished: a GPU computes one batch while
  // the next is sent to it. Results come in the order begun.
  virtual std::size_t depth() const = 0;
  // Both throw kInterrupted/kTerminated between two layers some seconds after they were cancelled
  // (Cancel::check_late).
  virtual void begin(const BatchRequest& request) = 0;
  virtual BatchResult finish() = 0;

  // Sets the policy of the batches begun from now on. Errors: kInternal without
  // EngineSettings::any_int8_policy.
  virtual void set_int8_policy(const Int8Policy& policy);

  BatchResult run(const BatchRequest& request) {
    begin(request);
    return finish();
  }
};

// Makes an engine on the GPU or the CPU, as the settings say. Errors: kCpu, kDevice, kPrecision,
// kOutOfMemory, kWeights*, kWeightsTensor when the classifier's width is not the sum of both.
std::unique_ptr<Engine> make_engine(const EngineModels& models, const EngineSettings& settings,
                                    const Cancel& cancel);

// Called by make_engine(), which has checked the widths.
std::unique_ptr<Engine> make_cpu_engine(const EngineModels& models, const EngineSettings& settings,
                                        const Cancel& cancel);
// Errors: kDevice in a program that was built without CUDA.
std::unique_ptr<Engine> make_cuda_engine(const EngineModels& models, const EngineSettings& settings,
                                         const Cancel& cancel);

}  // namespace virnucpro
