#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/suites/suites.hpp"
#include "measure/suites/vanilla.hpp"
#include "measure/timing/turns.hpp"

namespace virnucpro {
namespace {

constexpr double kRequired = 4.5;
constexpr double kExpected = 15;  // our own goal on a GPU
// The smallest and the largest number of sequences to run. Data with fewer sequences are run whole.
// The original takes minutes for 1,000 sequences. On a GPU the smallest number is larger, so that
// the time to load models hardly counts.
constexpr std::uint64_t kLeastSequences = 1'000;
constexpr std::uint64_t kLeastSequencesOnGpu = 3'000;
constexpr std::uint64_t kMostSequences = 30'000;
constexpr double kMargin = 1.25;  // by this factor runs are longer than needed, as repeats vary

Verdict required_verdict() {
  return {
      .id = "V1-SPEED",
      .name = "times as fast as the original",
      .unit = "x",
      .bar = fmt::format(">= {0:g}; a warning if the repeats' interval contains {0:g}", kRequired)};
}

Verdict expected_verdict() {
  return {.id = "V1-SPEED-OWN",
          .name = "times as fast as the original (our own, higher goal)",
          .unit = "x",
          .bar = fmt::format(">= {0:g} on a GPU; a warning if the repeats' interval contains {0:g}",
                             kExpected)};
}

void skip_both(const std::string& why, SuiteReport& report) {
  report.verdicts = {skipped_verdict(required_verdict(), why),
                     skipped_verdict(expected_verdict(), why)};
}

// Returns how many sequences this program must compute for a verdict, judged by the rate of a first
// run; but no more than the samples have, and no more than the original can compute in fair time.
std::uint64_t enough_sequences(SuiteContext& context) {
  const BenchmarkSettings& settings = context.settings;
  const std::uint64_t all = settings.size.sequences;
  const std::uint64_t least =
      std::min(all, context.on_gpu() ? kLeastSequencesOnGpu : kLeastSequences);
  const std::uint64_t most =
      settings.samples.empty() ? kMostSequences : std::min(all, kMostSequences);
  if (settings.quick || most == least) return least;
  const Trial first = context.trials.run({.name = "first",
                                          .inputs = {context.data_file(least)},
                                          .arguments = context.whole_run_arguments()});
  first.require_computed();
  const double times = kMargin * settings.thresholds.shortest_run / first.computing_seconds();
  const auto enough = static_cast<std::uint64_t>(std::ceil(times * first.sequences()));
  return std::clamp(enough, least, most);
}

// Runs the original and then this program, several times.
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

// Adds the time of a run in fp32, the original's precision. Returns a remark for the verdicts.
std::string add_equal_work(SuiteContext& context, const std::filesystem::path& input,
                           const std::vector<double>& theirs, SuiteReport& report) {
  if (context.settings.precision == "fp32") return "both programs computed in fp32";
  const TrialCall call{
      .name = "fp32", .inputs = {input}, .arguments = context.fp32_run_arguments()};
  const double seconds = context.trials.run(call).end.seconds;
  report.section.fields.push_back(
      {"fp32_seconds", "this program in fp32", seconds, Measure::kSeconds});
  const std::string speedup = estimate_text(ratio_of(theirs, {seconds}));
  report.section.fields.push_back({"fp32_speedup", "times as fast, both in fp32", speedup});
  return fmt::format("computed in {}; {} times as fast in fp32, the original's precision",
                     context.settings.precision, speedup);
}

}  // namespace

void run_v1_comparison_suite(SuiteContext& context, SuiteReport& report) {
  if (context.settings.vanilla_command.empty()) return skip_both(std::string(kNoVanilla), report);
  const auto input = context.data_file(enough_sequences(context));
  const auto sides = run_in_turns(context, input);
  const std::vector<double> theirs = sides[0].seconds();
  const std::vector<double> ours = sides[1].seconds();
  const Estimate ratio = ratio_of(theirs, ours);
  std::vector<double> speedups(ours.size());
  std::ranges::transform(theirs, ours, speedups.begin(), std::divides<>());
  report.metrics.push_back(
      {"v1.speedup", "times as fast as the original", Measure::kNone, Better::kHigher, speedups});
  report.section.note = fmt::format(
      "Whole runs of the original and of this program over the same sequences, in turns; this "
      "program computed in {}.",
      context.settings.precision);
  report.section.fields = {
      {"vanilla_seconds", "the original", spread_of(theirs).median, Measure::kSeconds},
      {"seconds", "this program", spread_of(ours).median, Measure::kSeconds},
      {"speedup", fmt::format("times as fast, in {}", context.settings.precision),
       estimate_text(ratio)}};
  const std::string precisions = add_equal_work(context, input, theirs, report);
  const std::string why = context.why_brief(sides[1].least_computing_seconds());
  report.brief = !why.empty();
  if (report.brief)
    return skip_both(fmt::format("{:.1f} times as fast, but {}", ratio.value, why), report);
  report.verdicts.push_back(judged_ratio(required_verdict(), ratio, kRequired));
  report.verdicts.push_back(context.on_gpu()
                                ? judged_ratio(expected_verdict(), ratio, kExpected)
                                : skipped_verdict(expected_verdict(), "no GPU was used"));
  for (Verdict& verdict : report.verdicts) add_remark(precisions, verdict);
}

}  // namespace virnucpro
