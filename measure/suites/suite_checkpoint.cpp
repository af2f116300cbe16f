#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "measure/suites/suites.hpp"
#include "measure/timing/turns.hpp"

namespace virnucpro {
namespace {

constexpr double kWanted = 1;  // percent of a run's time that the journal may take
constexpr double kMost = 10;

Trial run_with_journal(SuiteContext& context, bool journal) {
  TrialCall call = context.whole_run_call(journal ? "journal" : "no_journal");
  call.variables = {{"VIRNUCPRO_DISABLE_CHECKPOINTING", journal ? "0" : "1"}};
  Trial trial = context.trials.run(call);
  if (trial.telemetry.settings.journal.value_or(!journal) != journal) {
    throw Error(ErrorKind::kBenchmark,
                "the configuration switches the journal off: set checkpointing.enabled to true");
  }
  return trial;
}

Verdict judge_cost(const Estimate& percent) {
  Verdict verdict =
      judged_at_most({.id = "CHECKPOINT",
                      .name = "cost of the journal",
                      .unit = "%",
                      .bar = fmt::format("<= {:g}; a warning up to {:g}", kWanted, kMost)},
                     percent.value, kWanted, kMost);
  if (verdict.status != VerdictStatus::kPass && percent.low) {
    verdict.detail = fmt::format("95 % interval of the repeats: {:.1f} to {:.1f} %", *percent.low,
                                 *percent.high);
  }
  return verdict;
}

Estimate in_percent(const Estimate& ratio) {
  const auto percent = [](double of) { return 100 * (of - 1); };
  Estimate result{.value = percent(ratio.value)};
  if (ratio.low) result.low = percent(*ratio.low);
  if (ratio.high) result.high = percent(*ratio.high);
  return result;
}

}  // namespace

void run_checkpoint_suite(SuiteContext& context, SuiteReport& report) {
  const auto sides = trials_in_turns(
      {.repeats = context.repeats(), .alternate = true},
      [&context](std::size_t side) { return run_with_journal(context, /*journal=*/side == 0); });
  const std::vector<double> with = sides[0].seconds();
  const std::vector<double> without = sides[1].seconds();
  const Estimate percent = in_percent(ratio_of(with, without));
  report.section.note = "Whole runs, alternately with the journal and without it.";
  report.section.fields = {
      {"seconds_with", "run with the journal", spread_of(with).median, Measure::kSeconds},
      {"seconds_without", "run without the journal", spread_of(without).median, Measure::kSeconds},
      {"overhead", "cost of the journal, in percent", estimate_text(percent)}};
  report.metrics.push_back({"checkpoint.seconds", "whole run with the journal", Measure::kSeconds,
                            Better::kLower, with});
  const std::string why = context.why_brief(
      std::min(sides[0].least_computing_seconds(), sides[1].least_computing_seconds()));
  report.brief = !why.empty();
  const Verdict verdict = judge_cost(percent);
  report.verdicts.push_back(why.empty() ? verdict : skipped_verdict(verdict, why));
}

}  // namespace virnucpro
