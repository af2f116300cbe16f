#include "validate/suites/against.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/directory.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kPairs = 5;
constexpr std::size_t kPairsQuick = 3;

struct Side {
  std::vector<double> seconds;
  std::vector<double> rates;  // ESM-2 tokens a second while it computed
  bool brief = false;         // some run was too short to measure rates
};

void run_once(SuiteContext& context, const std::filesystem::path& program, Side& side) {
  const Trial trial = context.trials.run({.name = "against",
                                          .inputs = context.data(context.settings.size.sequences),
                                          .arguments = context.whole_run_arguments()},
                                         program);
  side.seconds.push_back(trial.end.seconds);
  side.rates.push_back(trial.esm_tokens_per_second());
  side.brief =
      side.brief || !too_short(trial.computing_seconds(), context.settings.thresholds).empty();
}

std::vector<KeptMetric> metrics_of(const Side& side) {
  return {{"against.seconds", Better::kLower, spread_of(side.seconds), side.brief},
          {"against.esm_tokens_per_second", Better::kHigher, spread_of(side.rates), side.brief}};
}

}  // namespace

AgainstResult run_against(const BenchmarkSettings& settings, const std::filesystem::path& program,
                          const Cancel& cancel) {
  const std::filesystem::path runs = settings.output / "against";
  make_directory(runs);
  PredictTrials trials({.program = settings.program,
                        .folder = runs,
                        .arguments = settings.model_arguments,
                        .run = settings.run},
                       cancel);
  V2Figures unused;
  SuiteContext context{.settings = settings, .trials = trials, .cancel = cancel, .v2 = unused};
  Side own;
  Side other;
  const std::size_t pairs = settings.quick ? kPairsQuick : kPairs;
  for (std::size_t k = 0; k < pairs; ++k) {
    for (const bool is_own : {k % 2 == 0, k % 2 != 0}) {
      run_once(context, is_own ? settings.program : program, is_own ? own : other);
    }
  }
  const KeptResults before{.time = "runs in turns with this one",
                           .commit = "of " + program.string(),
                           .identity = {},
                           .metrics = metrics_of(other)};
  AgainstResult result{.changes = changes_between(before.metrics, metrics_of(own))};
  result.section = change_section(before, result.changes);
  result.section.key = "against";
  result.section.title = "Against another build";
  result.section.fields = {
      {"speedup", "times as fast, whole runs", estimate_text(ratio_of(other.seconds, own.seconds))},
      {"steady_speedup", "while computing", estimate_text(ratio_of(own.rates, other.rates))}};
  return result;
}

}  // namespace virnucpro
