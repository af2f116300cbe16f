#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "engine/cpu_budget.hpp"
#include "engine/engine.hpp"
#include "models/classifier.hpp"
#include "models/dnabert_s.hpp"
#include "models/esm2.hpp"
#include "models/esm2_int8.hpp"
#include "observe/trace.hpp"
#include "ops/cpu.hpp"
#include "ops/finite.hpp"

namespace virnucpro {
namespace {

std::span<const float> row(const std::vector<float>& values, std::size_t index,
                           std::size_t frames) {
  const std::size_t width = values.size() / frames;
  return std::span{values}.subspan(index * width, width);
}

std::vector<std::uint32_t> not_finite(const BatchResult& result, std::size_t frames) {
  std::vector<std::uint32_t> found;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    if (!all_finite(row(result.dnabert_s, frame, frames)) ||
        !all_finite(row(result.esm2, frame, frames)) ||
        !all_finite(row(result.scores, frame, frames))) {
      found.push_back(static_cast<std::uint32_t>(frame));
    }
  }
  return found;
}

// Measures the seconds between two calls of lap().
class LapClock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

EngineFacts facts_of(const EngineModels& models, const EngineSettings& settings) {
  const bool is_auto = settings.token_budget == 0;
  const std::size_t tokens = is_auto ? cpu_token_budget(models, settings) : settings.token_budget;
  const EngineOutputs& outputs = settings.outputs;
  return {.kernel_path = std::string(cpu_kernel_path(settings.precisions[kRunModel])),
          .dnabert_s_width = outputs.needs_dnabert_s() ? models.dnabert_s.shape.width : 0,
          .esm2_width = outputs.needs_esm2() ? models.esm2.shape.width : 0,
          .plan = {.tokens = tokens,
                   .wanted = tokens,
                   .is_auto = is_auto,
                   .threads = std::max<std::uint64_t>(settings.threads, 1)},
          .esm2_layers = models.esm2.shape.layers};
}

// Both encoders in one precision. An encoder is absent if no output needs it.
class EncodersOnCpu {
 public:
  // The models of DNABERT-S that were made so far, by precision. Encoders share them.
  using MadeDnabertS = std::map<Precision, std::shared_ptr<const DnabertS>>;

  EncodersOnCpu(const EngineModels& models, const EngineSettings& settings, Precision precision,
                const Int8Policy* searched, ThreadPool& pool, const Cancel& cancel,
                MadeDnabertS& made)
      : context_{.pool = pool, .cancel = cancel, .precision = beside_esm2(precision, false)} {
    const EngineOutputs& outputs = settings.outputs;
    if (outputs.needs_dnabert_s()) {
      auto& shared = made[context_.precision];
      if (!shared) shared = std::make_shared<const DnabertS>(models.dnabert_s, context_);
      dnabert_s_ = shared;
    }
    if (!outputs.needs_esm2()) return;
    if (precision == Precision::kInt8 && searched != nullptr) {
      searched_ = searched;
      esm2_ = Esm2Int8::of_any_policy(models.esm2, context_);
    } else if (precision == Precision::kInt8) {
      esm2_.emplace<Esm2Int8>(models.esm2, context_, settings.int8_policy);
    } else {
      esm2_.emplace<Esm2>(models.esm2, context_);
    }
  }

  void embed_dna(const PackedFrames& frames, std::span<float> out) {
    dnabert_s_->embed(context_, {frames.dna_tokens, frames.dna_offsets}, out);
  }
  void embed_protein(const PackedFrames& frames, std::span<float> out) {
    if (searched_ != nullptr) std::get<Esm2Int8>(esm2_).set_policy(*searched_);
    const TokenBatch<std::uint8_t> batch{frames.esm_tokens, frames.esm_offsets};
    if (const auto* const plain = std::get_if<Esm2>(&esm2_)) plain->embed(context_, batch, out);
    if (const auto* const int8 = std::get_if<Esm2Int8>(&esm2_)) int8->embed(context_, batch, out);
  }

 private:
  OpContext context_;
  std::shared_ptr<const DnabertS> dnabert_s_;
  std::variant<std::monostate, Esm2, Esm2Int8> esm2_;
  const Int8Policy* searched_ = nullptr;
};

class CpuEngine : public Engine {
 public:
  CpuEngine(const EngineModels& models, const EngineSettings& settings, const Int8Policy* searched,
            const Cancel& cancel)
      : pool_(settings.threads),
        context_{.pool = pool_, .cancel = cancel},
        outputs_(settings.outputs),
        facts_(facts_of(models, settings)) {
    EncodersOnCpu::MadeDnabertS made;
    for (const Precision precision : settings.precisions) {
      encoders_.emplace_back(models, settings, precision, searched, pool_, cancel, made);
    }
    if (outputs_.scores) classifier_.emplace(models.classifier, context_);
  }

  const EngineFacts& facts() const override { return facts_; }

  void begin(const BatchRequest& request) override { result_ = compute(request); }
  BatchResult finish() override { return std::exchange(result_, {}); }

 private:
  BatchResult compute(const BatchRequest& request) {
    const TraceSpan whole("compute", request.batch);
    const PackedFrames& packed = request.frames;
    const std::size_t frames = packed.frames();
    BatchResult result;
    result.id = request.id;
    if (frames == 0) return result;
    const double waiting = clock_.lap();
    if (std::exchange(computed_any_, true)) result.times.waiting = waiting;
    EncodersOnCpu& encoders = encoders_.at(request.model);
    if (facts_.esm2_width > 0) {
      const TraceSpan span("ESM-2", request.batch);
      result.esm2.resize(frames * facts_.esm2_width);
      encoders.embed_protein(packed, result.esm2);
      result.times.esm2 = clock_.lap();
    }
    if (facts_.dnabert_s_width > 0) {
      const TraceSpan span("DNABERT-S", request.batch);
      result.dnabert_s.resize(frames * facts_.dnabert_s_width);
      encoders.embed_dna(packed, result.dnabert_s);
      result.times.dnabert_s = clock_.lap();
    }
    const TraceSpan span("classifier", request.batch);
    if (classifier_) {
      result.scores.resize(frames * 2);
      classifier_->classify(context_, merged(result, frames), result.scores);
    }
    result.not_finite = not_finite(result, frames);
    if (!outputs_.dnabert_s) result.dnabert_s.clear();
    if (!outputs_.esm2) result.esm2.clear();
    result.times.classifier = clock_.lap();
    return result;
  }

  static Panels merged(const BatchResult& result, std::size_t frames) {
    const std::size_t dna_width = result.dnabert_s.size() / frames;
    const std::size_t esm_width = result.esm2.size() / frames;
    Panels merged(frames, dna_width + esm_width);
    for (std::size_t frame = 0; frame < frames; ++frame) {
      std::copy_n(result.dnabert_s.data() + frame * dna_width, dna_width, merged.row(frame));
      std::copy_n(result.esm2.data() + frame * esm_width, esm_width, merged.row(frame) + dna_width);
    }
    return merged;
  }

  ThreadPool pool_;
  OpContext context_;
  EngineOutputs outputs_;
  EngineFacts facts_;
  std::deque<EncodersOnCpu> encoders_;  // one for each precision
  std::optional<Classifier> classifier_;
  LapClock clock_;
  bool computed_any_ = false;
  BatchResult result_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const EngineModels& models, const EngineSettings& settings,
                                        const Int8Policy* searched, const Cancel& cancel) {
  return std::make_unique<CpuEngine>(models, settings, searched, cancel);
}

}  // namespace virnucpro
