#include "telemetry/bottlenecks.hpp"

#include <algorithm>
#include <functional>

namespace virnucpro {
namespace {

using Stage = RunTelemetry::Stage;
using Bottleneck = RunTelemetry::Bottleneck;

constexpr double kLargeShare = 0.3;
constexpr double kBusy = 80;  // percent

struct Cause {
  std::string_view cause;
  std::string_view advice;
};

const Stage* find(const std::vector<Stage>& stages, std::string_view name) {
  const auto found =
      std::ranges::find_if(stages, [name](const Stage& stage) { return stage.name == name; });
  return found == stages.end() ? nullptr : &*found;
}

// Why workers wait: the host's own stages show it.
Cause cause_of_waiting(const std::vector<Stage>& stages, const StageSurroundings& around) {
  const Stage* read = find(stages, "read");
  const Stage* translate = find(stages, "translate");
  if (read != nullptr && translate != nullptr && read->seconds > translate->seconds) {
    return {"I/O-bound", "put the input on a faster disk, or compress it with bgzip"};
  }
  return {"host-bound", host_advice(around.spare_processors)};
}

Cause cause_of_models(const StageSurroundings& around) {
  if (!around.on_gpu) {
    return {"compute-bound",
            around.spare_processors ? "a GPU (-d cuda), or more --threads" : "a GPU (-d cuda)"};
  }
  if (around.utilization && *around.utilization < kBusy) {
    return {"launch-bound", "a larger --token-budget, so that each kernel has more to do"};
  }
  if (around.power_capped) {
    return {"power-capped", "the GPU's power limit sets the pace: more GPUs (--gpus)"};
  }
  return {"compute-bound", "more GPUs (--gpus); --precision fp16 or bf16 where it is fp32"};
}

Cause cause_of(const Stage& stage, const std::vector<Stage>& stages,
               const StageSurroundings& around) {
  if (stage.name == "waiting") return cause_of_waiting(stages, around);
  if (stage.name == "esm2" || stage.name == "dnabert_s") return cause_of_models(around);
  if (stage.name == "to_host") {
    return {"I/O-bound", "without --keep-intermediate only the scores are copied back"};
  }
  if (stage.name == "journal" || stage.name == "tables") {
    return {"I/O-bound", "put the output directory on a local disk"};
  }
  if (stage.name == "read") {
    return {"I/O-bound", "put the input on a faster disk, or compress it with bgzip"};
  }
  return {"host-bound", around.spare_processors ? "more --threads" : "more processors"};
}

// A host stage slows the run only if the devices wait. Tables are written after the devices' work.
bool matters(const Stage& stage, const std::vector<Stage>& stages) {
  if (stage.share <= kLargeShare) return false;
  if (stage.clock == name_of(StageClock::kDevice) || stage.name == "tables") return true;
  const Stage* waiting = find(stages, "waiting");
  return waiting != nullptr && waiting->share > kLargeShare;
}

}  // namespace

std::string_view host_advice(bool spare_processors) {
  return spare_processors ? "more --threads, or a larger --prefetch"
                          : "more processors, or a larger --prefetch";
}

std::vector<Bottleneck> find_bottlenecks(const std::vector<Stage>& stages,
                                         const StageSurroundings& around) {
  std::vector<Bottleneck> found;
  for (const Stage& stage : stages) {
    if (!matters(stage, stages)) continue;
    const Cause cause = cause_of(stage, stages, around);
    found.push_back({.stage = stage.name,
                     .cause = std::string(cause.cause),
                     .advice = std::string(cause.advice),
                     .share = stage.share});
  }
  std::ranges::stable_sort(found, std::greater<>(), &Bottleneck::share);
  return found;
}

}  // namespace virnucpro
