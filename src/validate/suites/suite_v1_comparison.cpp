#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "validate/measure/turns.hpp"
#include "validate/suites/suites.hpp"
#include "validate/suites/vanilla.hpp"

namespace virnucpro {
namespace {

constexpr double kRequired = 4.5;
constexpr double kExpected = 15;  // for this program on a GPU
// With these numbers the original takes minutes; on a GPU, loading models then hardly counts.
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

void skip_both(const std::string& why, SuiteReport& report) {
  report.verdicts = {skipped_verdict(required_verdict(), why),
                     skipped_verdict(expected_verdict(), why)};
}

// A ratio below the bar is skipped, not missed, if this program computed only briefly: loading was
// then much of its run, and more sequences would show it faster.
Verdict judge_speed(const Verdict& verdict, double ratio, double bar,
                    const std::string& too_short) {
  if (ratio < bar && !too_short.empty()) {
    return skipped_verdict(verdict, fmt::format("{:.1f} x, and {}", ratio, too_short));
  }
  return judged(verdict, ratio, bar);
}

// In each turn, runs the original and then this program.
std::vector<TrialRepeats> run_in_turns(SuiteContext& context, const std::filesystem::path& input) {
  Trial vanilla;
  return trials_in_turns({.repeats = context.repeats()}, [&](std::size_t side) {
    if (side == 0) return vanilla = run_vanilla(context, input);
    Trial own = context.trials.run(
        {.name = "against_vanilla", .inputs = {input}, .arguments = context.whole_run_arguments()});
    require_results(vanilla.directory, own.directory, context.cancel);
    return own;
  });
}

}  // namespace

void run_v1_comparison_suite(SuiteContext& context, SuiteReport& report) {
  if (context.settings.vanilla_command.empty()) return skip_both(std::string(kNoVanilla), report);
  const std::uint64_t most = context.on_gpu() ? kMostSequencesOnGpu : kMostSequences;
  const auto input = context.data_file(std::min(context.settings.size.sequences, most));
  const auto sides = run_in_turns(context, input);
  const std::vector<double> theirs = sides[0].seconds();
  const std::vector<double> ours = sides[1].seconds();
  const Estimate ratio = ratio_of(theirs, ours);
  std::vector<double> speedups(ours.size());
  std::ranges::transform(theirs, ours, speedups.begin(), std::divides<>());
  report.metrics.push_back(
      {"v1.speedup", "times as fast as the original", Measure::kNone, Better::kHigher, speedups});
  report.section.note = fmt::format("Whole runs over the same sequences in turns, ours in {}.",
                                    context.settings.precision);
  report.section.fields = {
      {"vanilla_seconds", "the original", spread_of(theirs).median, Measure::kSeconds},
      {"seconds", "this program", spread_of(ours).median, Measure::kSeconds},
      {"speedup", "times as fast", estimate_text(ratio)}};
  const std::string why = context.why_brief(spread_of(theirs).median);
  report.brief = !why.empty();
  if (report.brief) return skip_both(why, report);
  const std::string own_why = context.why_brief(sides[1].runs.back().computing_seconds());
  report.verdicts.push_back(judge_speed(required_verdict(), ratio.value, kRequired, own_why));
  report.verdicts.push_back(context.on_gpu()
                                ? judge_speed(expected_verdict(), ratio.value, kExpected, own_why)
                                : skipped_verdict(expected_verdict(), "no GPU was used"));
}

}  // namespace virnucpro
