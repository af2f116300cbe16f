#include "run/start_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/host.hpp"
#include "base/limits.hpp"
#include "engine/worker.hpp"
#include "engine/worker_pool.hpp"
#include "observe/trace.hpp"
#include "run/load_models.hpp"
#include "run/require_memory.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

// Returns one worker per GPU or, without GPUs, the CPU's workers, which share the threads.
std::vector<WorkerPool::WorkerConfig> worker_configs(const ModelSettings& models,
                                                     const ComputeSettings& compute,
                                                     const EngineOutputs& outputs) {
  std::vector<WorkerPool::WorkerConfig> workers;
  WorkerSetup setup{.models = models, .engine = engine_settings(compute, outputs)};
  if (setup.engine.gpu) setup.engine.gpu = 0;  // a worker sees only its own GPU
  for (const GpuId& gpu : compute.gpus) {
    workers.push_back({.name = fmt::format("worker {} (cuda:{})", workers.size(), gpu.index),
                       .visible_gpu = gpu.uuid,
                       .setup = setup});
    workers.back().setup.pci = gpu.pci;
  }
  if (!workers.empty()) return workers;
  const std::size_t count = compute.cpu_workers;
  for (std::size_t i = 0; i < count; ++i) {
    workers.push_back(
        {.name = fmt::format("worker {} (cpu)", i), .visible_gpu = {}, .setup = setup});
    const std::size_t share = compute.threads / count + (i < compute.threads % count ? 1 : 0);
    workers.back().setup.engine.threads = std::max<std::size_t>(share, 1);
  }
  return workers;
}

RunModels start_here(const ModelSettings& models, const ComputeSettings& compute,
                     const EngineOutputs& outputs, const Cancel& cancel) {
  LoadedModels loaded = load_models(models, engine_settings(compute, outputs), cancel);
  auto worker = std::make_unique<Worker>(*loaded.engine, batches_waiting(compute));
  return {.engine = std::move(loaded.engine),
          .computer = std::move(worker),
          .tokenizer = std::move(loaded.tokenizer),
          .description = std::move(loaded.description),
          .synthetic = loaded.synthetic};
}

// Loads the tokenizer that the workers have checked. Throws if its file changed since.
DnaTokenizer load_tokenizer_of(const WorkerHello& hello) {
  DnaTokenizer tokenizer = DnaTokenizer::load(hello.tokenizer);
  const auto theirs = hello.description.find(kTokenizerHashKey);
  if (theirs == hello.description.end() || theirs->second != tokenizer.hash()) {
    throw Error(ErrorKind::kWeightsChanged, Place{.file = hello.tokenizer},
                "the tokenizer changed after the workers had read it");
  }
  return tokenizer;
}

// Checks that all workers fit in memory together; each worker checks only itself.
void require_memory_of_all(const ModelSettings& models, const ComputeSettings& compute,
                           const EngineOutputs& outputs) {
  const std::size_t processes = compute.cpu_workers;
  if (!compute.gpus.empty() || !read_control_group().memory_limit) return;
  EngineSettings settings = engine_settings(compute, outputs);
  settings.threads = std::max<std::size_t>(compute.threads / processes, 1);
  require_memory(open_models(models, outputs), settings, processes);
}

RunModels start_processes(const ModelSettings& models, const ComputeSettings& compute,
                          const EngineOutputs& outputs, const Cancel& cancel) {
  WorkerPool::Settings settings{.program = compute.worker_program,
                                .workers = worker_configs(models, compute, outputs)};
  settings.schedule.prefetch = batches_waiting(compute);
  require_memory_of_all(models, compute, outputs);
  auto pool = std::make_unique<WorkerPool>(settings, cancel);
  const WorkerHello& hello = pool->hello();
  RunModels started;
  if (!hello.tokenizer.empty()) started.tokenizer.emplace(load_tokenizer_of(hello));
  started.description = hello.description;
  started.synthetic = hello.synthetic;
  started.computer = std::move(pool);
  return started;
}

}  // namespace

RunModels start_models(const ModelSettings& models, const ComputeSettings& compute,
                       const EngineOutputs& outputs, const Cancel& cancel) {
  const TraceSpan span("load models");
  const bool here = compute.worker_program.empty();
  return here ? start_here(models, compute, outputs, cancel)
              : start_processes(models, compute, outputs, cancel);
}

WorkerModels load_worker_models(const WorkerSetup& setup, const Cancel& cancel) {
  // Threads inherit the chosen processors, so this comes before any thread starts.
  stay_near_device(setup.pci);
  LoadedModels loaded = load_models(setup.models, setup.engine, cancel);
  WorkerModels worker;
  worker.hello = {.facts = loaded.engine->facts(),
                  .description = std::move(loaded.description),
                  .synthetic = loaded.synthetic,
                  .tokenizer = loaded.tokenizer_file.string(),
                  .dnabert_s_vocabulary = loaded.dnabert_s_vocabulary};
  worker.engine = std::move(loaded.engine);
  return worker;
}

std::string worker_name(const ComputeSettings& compute, std::size_t index) {
  const std::vector<GpuId>& gpus = compute.gpus;
  if (gpus.empty()) return "cpu";
  return fmt::format("cuda:{}", gpus[std::min(index, gpus.size() - 1)].index);
}

std::vector<std::string> budget_plans(const ComputeSettings& compute,
                                      const std::vector<EngineFacts>& workers) {
  std::vector<std::string> plans;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].plan.tokens == 0) continue;  // the worker was lost before it was ready
    plans.push_back(fmt::format("{}: {}", worker_name(compute, i), plan_text(workers[i].plan)));
  }
  return plans;
}

std::size_t batches_waiting(const ComputeSettings& compute) {
  return std::clamp<std::size_t>(compute.prefetch, 1, limits().batches_in_flight);
}

}  // namespace virnucpro
