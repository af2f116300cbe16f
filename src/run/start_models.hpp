#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "engine/batch_computer.hpp"
#include "engine/engine.hpp"
#include "engine/worker_serve.hpp"
#include "run/settings.hpp"
#include "tokens/dna_tokenizer.hpp"

namespace virnucpro {

// The models of a run, with the object that computes batches in this process or in workers.
struct RunModels {
  std::unique_ptr<Engine> engine;  // set if this process computes; must outlive `computer`
  std::unique_ptr<BatchComputer> computer;
  std::optional<DnaTokenizer> tokenizer;           // set if DNABERT-S is a model
  std::map<std::string, std::string> description;  // as in LoadedModels
  bool synthetic = false;
};

// Starts the models. Errors: those of load_models(), from any process; those of a WorkerPool.
RunModels start_models(const ModelSettings& models, const ComputeSettings& compute,
                       const EngineOutputs& outputs, const Cancel& cancel);

// Loads the models of start_models() in a worker process. Errors: those of load_models().
WorkerModels load_worker_models(const WorkerSetup& setup, const Cancel& cancel);

// Returns "cuda:0", or "cpu" for every worker on the CPU.
std::string worker_name(const ComputeSettings& compute, std::size_t index);
// Returns the plan of each worker that was ready: "cuda:0: batches of …".
std::vector<std::string> budget_plans(const ComputeSettings& compute,
                                      const std::vector<EngineFacts>& workers);

// Returns how many batches are kept ready for a worker while the worker computes.
std::size_t batches_waiting(const ComputeSettings& compute);

}  // namespace virnucpro
