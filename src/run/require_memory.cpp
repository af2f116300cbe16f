#include "run/require_memory.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/host.hpp"
#include "engine/cpu_budget.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kOneGib = std::uint64_t{1} << 30U;
// The least memory that a process needs beside its models, measured with a few short reads.
constexpr std::uint64_t kLeastBeside = std::uint64_t{64} << 20U;
// Advised memory for everything but the models.
constexpr std::uint64_t kForTheRest = 2 * kOneGib;

std::string amount_text(std::uint64_t bytes) {
  constexpr std::uint64_t kOneMib = std::uint64_t{1} << 20U;
  if (bytes >= kOneGib) return gib_text(bytes);
  return fmt::format("{} MiB", (bytes + kOneMib - 1) / kOneMib);
}

std::string what_to_ask_for(std::uint64_t need, const EngineSettings& settings,
                            std::size_t processes) {
  const std::uint64_t gib = (need + kForTheRest + kOneGib - 1) / kOneGib;
  std::string advice = slurm_job().empty()
                           ? fmt::format("Give the job or container {} GiB of memory", gib)
                           : fmt::format("Ask for more memory: #SBATCH --mem={}G", gib);
  if (processes > 1) advice += ", or use fewer --cpu-workers";
  if (settings.token_budget > 0) advice += ", or use a smaller --token-budget";
  if (settings.precisions[kRunModel] == Precision::kFp32) {
    advice += ", or use --precision bf16 if the processor supports it";
  }
  return advice + ".";
}

}  // namespace

void require_memory(const EngineModels& models, const EngineSettings& settings,
                    std::size_t processes, const std::filesystem::path& root) {
  if (settings.gpu) return;
  const auto limit = read_control_group(root).memory_limit;
  if (!limit) return;
  const std::uint64_t of_one = cpu_memory_need(models, settings).all() + kLeastBeside;
  const std::uint64_t need = processes * of_one;
  if (need <= *limit) return;
  const std::string each = processes > 1 ? fmt::format(" in each of {} processes", processes) : "";
  throw Error(ErrorKind::kOutOfMemory,
              fmt::format("the models with a batch take {}{}, but this job or container may use {}",
                          amount_text(of_one), each, amount_text(*limit)))
      .advised(what_to_ask_for(need, settings, processes));
}

}  // namespace virnucpro
