// bench_simulated_gpus WORKERS TOKENS_A_SECOND LOADING_SECONDS THREADS CHUNK_SIZE OUT FILE…
//
// Measures a whole run of `predict` whose worker processes have no model. A worker is ready after
// LOADING_SECONDS. It answers a batch as late as a GPU would that computes TOKENS_A_SECOND tokens
// of ESM-2 (0: at once). The scores depend only on the frame. Reader, packer, scheduler, sockets,
// journal and tables are the program's. Telemetry files, progress and reports are missing, since
// the command line adds them. The run cannot show how drivers and memory of real GPUs affect each
// other. Prints the run's figures as JSON.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "engine/engine.hpp"
#include "engine/worker_serve.hpp"
#include "measure/bench/serve.hpp"
#include "run/predict.hpp"
#include "run/run_fingerprint.hpp"
#include "tokens/dna_tokenizer.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kBudget = 32768;  // tokens in a batch, as on a GPU
constexpr std::size_t kDepth = 2;
constexpr std::uint32_t kVocabulary = 4096;

// Computes one batch at a time, as a GPU does, while later batches wait.
class SimulatedGpu : public Engine {
 public:
  explicit SimulatedGpu(double tokens_a_second) : tokens_a_second_(tokens_a_second) {}

  const EngineFacts& facts() const override { return facts_; }

  void begin(const BatchRequest& request) override {
    const Clock::time_point now = Clock::now();
    const Clock::time_point start = std::max(now, free_);
    free_ = start + time_of(request.frames.esm_tokens.size());
    Begun begun{.result = answer(request), .ready = free_};
    begun.result.times.waiting = Seconds(start - free_before_).count();
    begun.result.times.esm2 = Seconds(free_ - start).count();
    free_before_ = free_;
    begun_.push_back(std::move(begun));
  }

  BatchResult finish() override {
    Begun begun = std::move(begun_.front());
    begun_.pop_front();
    std::this_thread::sleep_until(begun.ready);
    return std::move(begun.result);
  }

 private:
  struct Begun {
    BatchResult result;
    Clock::time_point ready;
  };

  Clock::duration time_of(std::size_t tokens) const {
    if (tokens_a_second_ == 0) return Clock::duration::zero();
    return std::chrono::duration_cast<Clock::duration>(
        Seconds(static_cast<double>(tokens) / tokens_a_second_));
  }

  static BatchResult answer(const BatchRequest& request) {
    const PackedFrames& frames = request.frames;
    BatchResult result;
    result.id = request.id;
    for (std::size_t k = 0; k < frames.frames(); ++k) {
      const auto tokens = frames.esm_tokens.begin();
      const int sum =
          std::accumulate(tokens + frames.esm_offsets[k], tokens + frames.esm_offsets[k + 1], 0);
      const float virus = static_cast<float>(sum % 1000) / 1000;
      result.scores.insert(result.scores.end(), {1 - virus, virus});
    }
    return result;
  }

  const EngineFacts facts_{.kernel_path = "simulated",
                           .depth = kDepth,
                           .plan = {.tokens = kBudget, .wanted = kBudget, .threads = 1}};
  const double tokens_a_second_;
  Clock::time_point free_ = Clock::now();
  Clock::time_point free_before_ = free_;
  std::deque<Begun> begun_;
};

double number_of(const std::string& word) {
  const auto number = parse_number(word);
  if (!number) throw std::invalid_argument(word + " is not a number");
  return *number;
}

// Returns the name of a synthetic model, which needs no file and whose weights are never made. Its
// seed tells the worker the loading time in milliseconds, or the tokens per second.
std::string model_with(const char* name, double seed) {
  return fmt::format("synthetic:{}:{:.0f}", name, seed);
}

WorkerModels simulated(const WorkerSetup& setup, const Cancel& /*cancel*/) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(parse_synthetic(setup.models.dnabert_s).seed));
  WorkerModels models;
  models.engine =
      std::make_unique<SimulatedGpu>(static_cast<double>(parse_synthetic(setup.models.esm2).seed));
  const std::string tokenizer = setup.models.lookup.share_dir / "dnabert-s/tokenizer.json";
  models.hello = {.facts = models.engine->facts(),
                  .description = {{"kernel_path", models.engine->facts().kernel_path},
                                  {kTokenizerHashKey, DnaTokenizer::load(tokenizer).hash()}},
                  .synthetic = true,
                  .tokenizer = tokenizer,
                  .dnabert_s_vocabulary = kVocabulary};
  return models;
}

void run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[1] == kWorkerArgument) {
    return serve_batches(become_worker(), simulated);
  }
  if (arguments.size() < 8) {
    throw std::invalid_argument(
        "usage: bench_simulated_gpus WORKERS TOKENS_A_SECOND LOADING_SECONDS THREADS CHUNK_SIZE "
        "OUT FILE...");
  }
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  PredictSettings settings;
  settings.inputs.paths = {arguments.begin() + 7, arguments.end()};
  settings.models = {
      .dnabert_s = model_with("dnabert-s-tiny", 1000 * number_of(arguments[3])),
      .esm2 = model_with("esm2_t6_8M", number_of(arguments[2])),
      .classifier = "synthetic",
      .lookup = {.models_dir = {}, .share_dir = program.parent_path() / "../share/virnucpro"}};
  settings.compute.worker_program = program;
  settings.compute.cpu_workers = std::stoul(arguments[1]);
  settings.compute.threads = std::stoul(arguments[4]);
  settings.chunk_size = std::stoull(arguments[5]);
  settings.output = arguments[6];
  settings.stem = "simulated";
  settings.existing = Existing::kReplace;
  RunCounters counters;
  const Cancel cancel;
  predict(settings, counters, cancel, {});
  const PipelineSummary summary = counters.pipeline.summary();
  fmt::print(R"({{"computing": {:.3f}, "sequences": {}, "frames": {}, "esm_tokens": {}, )"
             R"("packing": {:.4f}, "host_cpu": {:.3f}, "workers_cpu": {:.3f}, "peak_bytes": {}}})"
             "\n",
             summary.computing_seconds(), counters.sequences_scored.get(), summary.totals.frames,
             summary.totals.esm_tokens, summary.totals.packing(), cpu_seconds(),
             cpu_seconds(RUSAGE_CHILDREN), usage_of(RUSAGE_SELF).ru_maxrss * 1024);
}

}  // namespace
}  // namespace virnucpro::bench

int main(int argc, char** argv) {
  return virnucpro::bench::run_program(argc, argv, virnucpro::bench::run);
}
