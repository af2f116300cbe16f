#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "validate/suites.hpp"
#include "validate/vanilla.hpp"

namespace virnucpro {
namespace {

constexpr double kRequired = 4.5;
constexpr double kExpected = 15;  // of this program on a GPU
// The original's minutes: on a GPU so many that loading the models is a small part of either side.
constexpr std::uint64_t kMostSequences = 1'000;
constexpr std::uint64_t kMostSequencesOnGpu = 3'000;

Verdict required_verdict() {
  return {.id = "V1-SPEED",
          .name = "times as fast as the original",
          .unit = "x",
          .bar = fmt::format(">= {:g}", kRequired)};
}

Verdict expected_verdict() {
  return {.id = "V1-SPEED-OWN",
          .name = "times as fast as the original, our own bar",
          .unit = "x",
          .bar = fmt::format(">= {:g} on a GPU", kExpected)};
}

}  // namespace

void run_v1_comparison_suite(SuiteContext& context, SuiteReport& report) {
  if (context.settings.vanilla_command.empty()) {
    for (const Verdict& verdict : {required_verdict(), expected_verdict()}) {
      report.verdicts.push_back(skipped_verdict(verdict, std::string(kNoVanilla)));
    }
    return;
  }
  const std::uint64_t most = context.on_gpu() ? kMostSequencesOnGpu : kMostSequences;
  const auto inputs = context.data(std::min(context.settings.size.sequences, most));
  std::vector<double> ours;
  std::vector<double> theirs;
  for (std::size_t repeat = 0; repeat < context.repeats(); ++repeat) {
    theirs.push_back(run_vanilla(context, inputs).end.seconds);
    ours.push_back(
        context.trials
            .run({.name = "against_vanilla", .inputs = inputs, .words = context.whole_words()})
            .end.seconds);
  }
  const Estimate ratio = ratio_of(theirs, ours);
  report.section.note = fmt::format("Whole runs over the same sequences in turns, ours in {}.",
                                    context.settings.precision);
  report.section.fields = {
      {"vanilla_seconds", "the original", spread_of(theirs).median, Measure::kSeconds},
      {"seconds", "this program", spread_of(ours).median, Measure::kSeconds},
      {"speedup", "times as fast", estimate_text(ratio)}};
  const std::string why = too_short(spread_of(theirs).median, context.settings.thresholds);
  report.brief = !why.empty();
  if (report.brief) {
    report.verdicts = {skipped_verdict(required_verdict(), why),
                       skipped_verdict(expected_verdict(), why)};
    return;
  }
  report.verdicts.push_back(judged(required_verdict(), ratio.value, kRequired));
  report.verdicts.push_back(context.on_gpu()
                                ? judged(expected_verdict(), ratio.value, kExpected)
                                : skipped_verdict(expected_verdict(), "no GPU was used"));
}

}  // namespace virnucpro
