#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/cancel.hpp"
#include "engine/batch_computer.hpp"
#include "engine/worker_serve.hpp"
#include "run/load_models.hpp"

namespace virnucpro {

// The models of a run with whoever computes them: this process, or worker processes.
struct RunModels {
  std::unique_ptr<Engine> engine;  // where it is this process; it ends after the computer
  std::unique_ptr<BatchComputer> computer;
  std::optional<DnaTokenizer> tokenizer;           // where DNABERT-S is among them
  std::map<std::string, std::string> description;  // as LoadedModels has it
  bool synthetic = false;
};

// Errors: those of load_models(), wherever they are loaded; those of a WorkerPool.
RunModels start_models(const ModelSettings& models, const ComputeSettings& compute,
                       const EngineOutputs& outputs, const Cancel& cancel);

// The same in a worker process: what start_models() asked it to load. Errors: load_models()'s.
WorkerModels load_worker_models(const WorkerSetup& setup, const Cancel& cancel);

// Batches that wait for a worker while it computes.
std::size_t batches_waiting(const ComputeSettings& compute);

}  // namespace virnucpro
