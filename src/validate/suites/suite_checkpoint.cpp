#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "validate/suites/suites.hpp"

namespace virnucpro {
namespace {

constexpr double kOwnBar = 1;       // percent: this program's bar
constexpr double kWarningBar = 10;  // percent: the requirement's bar

// Seconds of whole runs, in pairs with and without the journal.
struct Pairs {
  std::vector<double> with;
  std::vector<double> without;
  double computing_seconds = std::numeric_limits<double>::infinity();  // of the shortest run
};

double run_once(SuiteContext& context, bool journal, Pairs& pairs) {
  TrialCall call{.name = journal ? "journal" : "no_journal",
                 .inputs = context.data(context.settings.size.sequences),
                 .arguments = context.whole_run_arguments()};
  call.variables = {{"VIRNUCPRO_DISABLE_CHECKPOINTING", journal ? "0" : "1"}};
  const Trial trial = context.trials.run(call);
  if (trial.telemetry.flag("settings/journal").value_or(!journal) != journal) {
    throw Error(ErrorKind::kBenchmark, "the configuration switches the journal off");
  }
  pairs.computing_seconds = std::min(pairs.computing_seconds, trial.computing_seconds());
  return trial.end.seconds;
}

// The order changes from pair to pair, so that disturbances of the machine affect both.
Pairs run_pairs(SuiteContext& context) {
  Pairs pairs;
  for (std::size_t repeat = 0; repeat < context.repeats(); ++repeat) {
    const bool journal_first = repeat % 2 == 0;
    for (const bool journal : {journal_first, !journal_first}) {
      (journal ? pairs.with : pairs.without).push_back(run_once(context, journal, pairs));
    }
  }
  return pairs;
}

// If repeats vary by more than the bar, no verdict is possible.
Verdict own_verdict(const Estimate& percent) {
  Verdict verdict{.id = "CHECKPOINT",
                  .name = "what the journal costs",
                  .unit = "%",
                  .bar = fmt::format("<= {:g}", kOwnBar)};
  verdict.value = percent.value;
  verdict.status = percent.value <= kOwnBar ? VerdictStatus::kPass : VerdictStatus::kMiss;
  if (verdict.status == VerdictStatus::kMiss && percent.low && *percent.low <= kOwnBar) {
    verdict.status = VerdictStatus::kWarn;
    verdict.detail =
        fmt::format("the repeats allow {:.1f} to {:.1f} %", *percent.low, *percent.high);
  }
  return verdict;
}

Verdict required_verdict(const Estimate& percent) {
  Verdict verdict{.id = "PERF-04",
                  .name = "what checkpoints cost",
                  .unit = "%",
                  .bar = fmt::format("<= {:g}, beyond a warning", kWarningBar)};
  verdict.value = percent.value;
  verdict.status = percent.value <= kWarningBar ? VerdictStatus::kPass : VerdictStatus::kWarn;
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
  const Pairs pairs = run_pairs(context);
  const Estimate percent = in_percent(ratio_of(pairs.with, pairs.without));
  report.section.note = "Whole runs with the journal and without it, in turns.";
  report.section.fields = {
      {"seconds_with", "with the journal", spread_of(pairs.with).median, Measure::kSeconds},
      {"seconds_without", "without", spread_of(pairs.without).median, Measure::kSeconds},
      {"overhead", "it costs, in percent", estimate_text(percent)}};
  report.metrics.push_back({"checkpoint.seconds", "whole run with the journal", Measure::kSeconds,
                            Better::kLower, pairs.with});
  report.brief = !too_short(pairs.computing_seconds, context.settings.thresholds).empty();
  const std::string why = too_short(pairs.computing_seconds, context.settings.thresholds);
  for (const Verdict& verdict : {own_verdict(percent), required_verdict(percent)}) {
    report.verdicts.push_back(why.empty() ? verdict : skipped_verdict(verdict, why));
  }
}

}  // namespace virnucpro
