#include "measure/suites/against.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "measure/timing/turns.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kPairs = 5;
constexpr std::size_t kPairsQuick = 3;

std::vector<KeptMetric> metrics_of(const TrialRepeats& side, const SuiteContext& context) {
  const bool brief = !context.why_brief(side.least_computing_seconds()).empty();
  return {{"against.seconds", Better::kLower, spread_of(side.seconds()), brief},
          {"against.esm_tokens_per_second", Better::kHigher, spread_of(side.esm_rates()), brief}};
}

}  // namespace

AgainstResult run_against(const BenchmarkSettings& settings, const std::filesystem::path& program,
                          const Cancel& cancel) {
  PredictTrials trials = trials_in(settings, "against", cancel);
  V2Figures unused;
  SuiteContext context{.settings = settings, .trials = trials, .cancel = cancel, .v2 = unused};
  const Turns turns{.repeats = settings.quick ? kPairsQuick : kPairs, .alternate = true};
  const auto sides = trials_in_turns(turns, [&](std::size_t side) {
    return trials.run(context.whole_run_call("against"), side == 0 ? settings.program : program);
  });
  const TrialRepeats& own = sides[0];
  const TrialRepeats& other = sides[1];
  const KeptResults before{
      .time = fmt::format("runs of {}, in turns with this build", program.string()),
      .commit = "unknown",
      .identity = {},
      .metrics = metrics_of(other, context)};
  AgainstResult result{.changes = changes_between(before.metrics, metrics_of(own, context))};
  result.section = change_section(before, result.changes);
  result.section.key = "against";
  result.section.title = "Compared with another build";
  result.section.fields = {{"speedup", "speed-up of whole runs",
                            estimate_text(ratio_of(other.seconds(), own.seconds()))},
                           {"steady_speedup", "speed-up while computing",
                            estimate_text(ratio_of(own.esm_rates(), other.esm_rates()))}};
  return result;
}

}  // namespace virnucpro
