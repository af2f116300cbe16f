#include "telemetry/bottlenecks.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/host.hpp"

namespace virnucpro {
namespace {

using Stage = RunTelemetry::Stage;
using Bottleneck = RunTelemetry::Bottleneck;

constexpr double kLargeShare = 0.3;
constexpr double kBusyShare = 0.8;  // a GPU that is busy for less of the time counts as idle

struct Cause {
  std::string_view cause;
  std::string_view advice;
};

const Stage* find(const std::vector<Stage>& stages, std::string_view name) {
  const auto found =
      std::ranges::find_if(stages, [name](const Stage& stage) { return stage.name == name; });
  return found == stages.end() ? nullptr : &*found;
}

double share_of(const std::vector<Stage>& stages, std::string_view name) {
  const Stage* stage = find(stages, name);
  return stage == nullptr ? 0 : stage->share.value_or(0);
}

// The reason why a GPU is not busy.
enum class Idleness : std::uint8_t {
  kNone,      // the GPU is busy, or there is no GPU
  kWaiting,   // the GPU mostly waits for batches
  kLaunches,  // the GPU is mostly idle between the kernels of a batch
};

// Returns the reason why a GPU is idle. The share of "waiting" is exact, because it comes from the
// devices' events in this run. NVML counts the kernels of all programs, so a shared GPU may look
// busy while this run waits for batches. But only NVML shows idle time between a batch's kernels.
Idleness idleness_of(const std::vector<Stage>& stages, const StageSurroundings& around) {
  if (!around.on_gpu) return Idleness::kNone;
  const double waiting = share_of(stages, "waiting");
  const double idle = std::max(waiting, 1 - around.utilization.value_or(100) / 100);
  if (idle <= 1 - kBusyShare) return Idleness::kNone;
  return waiting >= idle / 2 ? Idleness::kWaiting : Idleness::kLaunches;
}

// Workers wait for the input if reading takes longer than translating. Otherwise they wait for the
// host.
Cause cause_of_waiting(const std::vector<Stage>& stages, const StageSurroundings& around) {
  const Stage* read = find(stages, "read");
  const Stage* translate = find(stages, "translate");
  if (read != nullptr && translate != nullptr && read->seconds > translate->seconds) {
    return {"I/O-bound", "put the input on a faster disk, or compress it with bgzip"};
  }
  return {"host-bound", host_advice(around.spare_processors)};
}

Cause cause_of_models(const StageSurroundings& around, Idleness idleness) {
  if (!around.on_gpu) {
    return {"compute-bound", around.spare_processors ? "use a GPU (-d cuda), or more --threads"
                                                     : "use a GPU (-d cuda)"};
  }
  if (idleness == Idleness::kLaunches) {
    return {"launch-bound", "use a larger --token-budget, so that the GPU gets more work at once"};
  }
  if (idleness == Idleness::kWaiting) {
    return {"compute-bound",
            "first follow the advice for the stage 'waiting': more GPUs would wait, too"};
  }
  if (around.power_capped) {
    return {"power-capped", "the GPU is at its power limit: use more GPUs (--gpus)"};
  }
  return {"compute-bound", "use more GPUs (--gpus) or, in place of fp32, --precision fp16 or bf16"};
}

bool is_model(const Stage& stage) {
  return stage.name == "esm2" || stage.name == "dnabert_s";
}

Cause cause_of(const Stage& stage, const std::vector<Stage>& stages,
               const StageSurroundings& around, Idleness idleness) {
  if (stage.name == "waiting") return cause_of_waiting(stages, around);
  if (is_model(stage)) return cause_of_models(around, idleness);
  if (stage.name == "to_host") {
    return {"I/O-bound", "leave out --keep-intermediate: then the GPU sends back only scores"};
  }
  if (stage.name == "journal" || stage.name == "tables") {
    return {"I/O-bound", "put the output directory on a local disk"};
  }
  if (stage.name == "read") {
    return {"I/O-bound", "put the input on a faster disk, or compress it with bgzip"};
  }
  return {"host-bound", around.spare_processors ? "use more --threads" : "run on more processors"};
}

// Returns the name of the model that takes more time; empty if both take none.
std::string_view larger_model(const std::vector<Stage>& stages) {
  const double esm2 = share_of(stages, "esm2");
  const double dnabert_s = share_of(stages, "dnabert_s");
  if (esm2 <= 0 && dnabert_s <= 0) return {};
  return esm2 >= dnabert_s ? "esm2" : "dnabert_s";
}

// Returns true if a stage takes a large share or keeps a GPU idle. A host stage matters only if
// devices wait. The stage "tables" is an exception, because it comes after the devices' work.
bool matters(const Stage& stage, const std::vector<Stage>& stages, Idleness idleness) {
  const bool waits = idleness == Idleness::kWaiting;
  const bool is_large = stage.share > kLargeShare;
  if (stage.name == "waiting") return is_large || waits;
  if (is_model(stage) && idleness == Idleness::kLaunches && stage.name == larger_model(stages)) {
    return true;
  }
  if (stage.clock == name_of(StageClock::kDevice) || stage.name == "tables") return is_large;
  return is_large && (waits || share_of(stages, "waiting") > kLargeShare);
}

}  // namespace

bool has_spare_processors(const RunTelemetry& telemetry) {
  return telemetry.settings.threads.value_or(0) < usable_processors();
}

std::string_view host_advice(bool spare_processors) {
  return spare_processors ? "use more --threads, or a larger --prefetch"
                          : "run on more processors, or use a larger --prefetch";
}

std::vector<Bottleneck> find_bottlenecks(const std::vector<Stage>& stages,
                                         const StageSurroundings& around) {
  std::vector<Bottleneck> found;
  const Idleness idleness = idleness_of(stages, around);
  for (const Stage& stage : stages) {
    if (!matters(stage, stages, idleness)) continue;
    const Cause cause = cause_of(stage, stages, around, idleness);
    found.push_back({.stage = stage.name,
                     .cause = std::string(cause.cause),
                     .advice = std::string(cause.advice),
                     .share = stage.share});
  }
  std::ranges::stable_sort(found, std::greater<>(), &Bottleneck::share);
  return found;
}

}  // namespace virnucpro
