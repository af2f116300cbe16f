#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "journal/run_files.hpp"
#include "measure/compare/compare_outputs.hpp"
#include "measure/suites/stored_baseline.hpp"
#include "measure/suites/suites.hpp"
#include "measure/suites/vanilla.hpp"
#include "telemetry/telemetry_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostEmbedded = 1'000;  // sequences; embeddings of more would fill a disk
constexpr std::uint64_t kOtherBudget = 1'500;   // tokens; small, so that all batches differ

// A comparison of this program's run with other results.
struct Against {
  std::string_view id;
  std::string_view name;
  Comparison comparison;
};

bool is_of_scores(const DatasetComparison& dataset) {
  return dataset.labels.has_value();
}

Value share_or_none(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? Value{static_cast<double>(part) / static_cast<double>(whole)} : Value{};
}

Table dataset_table(const std::vector<Against>& all) {
  Table table{.key = "comparisons", .caption = "This program's runs compared with other results"};
  table.columns = {{"against", "Against"},
                   {"dataset", "Dataset"},
                   {"rows", "Rows in both", Measure::kCount},
                   {"only_one", "Rows in only one", Measure::kCount},
                   {"identical", "Identical", Measure::kCount},
                   {"within_share", "Numbers within tolerance", Measure::kShare},
                   {"max_absolute", "Largest difference"},
                   {"mean_absolute", "Mean difference"},
                   {"max_relative", "Largest relative difference"},
                   {"least_cosine", "Least cosine"},
                   {"labels_differing", "Labels that differ", Measure::kCount},
                   {"labels_far", "Differing labels not near the boundary", Measure::kCount}};
  const auto number = [](const Statistic& statistic, double value) {
    return statistic.samples == 0 ? Value{} : Value{fmt::format("{:.3g}", value)};
  };
  for (const Against& against : all) {
    for (const DatasetComparison& found : against.comparison.datasets) {
      const NumberComparison& numbers = found.numbers;
      table.rows.push_back(
          {std::string(against.name), found.name, found.rows.in_both,
           found.only_a() + found.only_b(), found.identical,
           share_or_none(numbers.within, numbers.values),
           number(numbers.absolute, numbers.absolute.maximum),
           number(numbers.absolute, numbers.absolute.average),
           number(numbers.relative, numbers.relative.maximum),
           found.cosine ? Value{fmt::format("{:.9f}", found.cosine->cosine.minimum)} : Value{},
           found.labels ? Value{found.labels->differing} : Value{},
           found.labels ? Value{found.labels->differing_far} : Value{}});
    }
  }
  return table;
}

Table row_table(const std::vector<Against>& all) {
  Table table{.key = "differing_rows", .caption = "Rows that differ"};
  table.columns = {{"against", "Against"}, {"dataset", "Dataset"}, {"id", "Row"},
                   {"cause", "Why"},       {"column", "Column"},   {"ours", "Ours"},
                   {"theirs", "Theirs"}};
  for (const Against& against : all) {
    for (const DatasetComparison& found : against.comparison.datasets) {
      for (const DifferingRow& row : found.first_differing) {
        table.rows.push_back({std::string(against.name), found.name, row.id,
                              std::string(name_of(row.cause)), row.column, row.a, row.b});
      }
    }
  }
  return table;
}

// True if a row is missing, a label with clear scores changed, a score is NaN or infinite in one
// file only, or a score is beyond tolerance and differs by more than the precision explains. For
// embeddings, only missing rows count.
bool is_wrong(const DatasetComparison& found, double explained) {
  if (found.only_a() + found.only_b() > 0) return true;
  if (!is_of_scores(found)) return false;
  const bool is_within = found.numbers.within == found.numbers.values;
  return found.labels->differing_far > 0 ||
         (!is_within && !(found.numbers.absolute.maximum <= explained)) ||
         found.numbers.not_finite > 0;
}

// Returns kPass if all is equal, kMiss if is_wrong() for a dataset, else kWarn. So embeddings,
// labels near the boundary, and numbers that the precision explains cause only a warning. With an
// exact tolerance, any differing row is a miss, but a file that only one run has causes a warning.
VerdictStatus status_of(const Comparison& comparison, double explained) {
  if (comparison.equal()) return VerdictStatus::kPass;
  const bool exact = comparison.tolerance.exact;
  const bool wrong = std::ranges::any_of(comparison.datasets, [&](const auto& found) {
    return exact ? !found.equal() : is_wrong(found, explained);
  });
  return wrong ? VerdictStatus::kMiss : VerdictStatus::kWarn;
}

double largest_difference(const Comparison& comparison) {
  double largest = 0;
  for (const DatasetComparison& found : comparison.datasets) {
    if (is_of_scores(found)) largest = std::max(largest, found.numbers.absolute.maximum);
  }
  return largest;
}

// The difference from the original's numbers that the requirements allow. This program's own bar,
// the default Tolerance, is tighter.
constexpr Tolerance kRequiredTolerance{.relative = 1e-3, .absolute = 1e-3};

std::string bar_text(const Tolerance& tolerance) {
  if (tolerance.exact) return "the same bytes";
  return fmt::format("equal labels, atol {:g} + rtol {:g}", tolerance.absolute, tolerance.relative);
}

// True if rows of frames were compared. sequences.tsv has rows even if no sequence has a frame.
bool has_frames(const Comparison& comparison) {
  return std::ranges::any_of(comparison.datasets, [](const DatasetComparison& found) {
    return found.name != run_files::kSequenceTable.name && found.rows.in_a + found.rows.in_b > 0;
  });
}

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns the share of numbers within tolerance, for each dataset that has numbers beyond it. Such
// numbers cause a warning even if the verdict's value, the largest score difference, is small.
std::string beyond_of(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (const DatasetComparison& found : comparison.datasets) {
    const NumberComparison& numbers = found.numbers;
    if (numbers.within == numbers.values) continue;
    parts.push_back(fmt::format("{}: {:.3g} % of the numbers are within the tolerance", found.name,
                                100 * share_of(numbers.within, numbers.values)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Returns what could not be compared, such as embeddings that only one file has.
std::string remarks_of(const Comparison& comparison) {
  if (comparison.remarks.empty()) return {};
  return fmt::format("not compared (A is this program's run): {}",
                     fmt::join(comparison.remarks, ", "));
}

// Returns the verdict; `explained` is the score difference that the precision explains.
Verdict verdict_of(const Against& against, double explained) {
  Verdict verdict{.id = against.id,
                  .name = against.name,
                  .unit = "largest score difference",
                  .bar = bar_text(against.comparison.tolerance)};
  if (!has_frames(against.comparison)) {
    return skipped_verdict(verdict, "there is no row to compare: no sequence has a frame");
  }
  verdict.value = largest_difference(against.comparison);
  verdict.status = status_of(against.comparison, explained);
  verdict.detail = remarks_of(against.comparison);
  add_remark(beyond_of(against.comparison), verdict);
  return verdict;
}

constexpr double kMostScores = 0.99;

// Returns how much scores in a precision may differ from scores in fp32.
Tolerance bar_of(std::string_view precision) {
  return tolerance_of(precision, "fp32");
}

// Returns the largest difference from fp32 that a precision explains.
double explained_by(std::string_view precision) {
  return precision == "fp32" ? 0 : bar_of(precision).absolute;
}

bool keeps(const DatasetComparison& found, const Tolerance& bar) {
  const LabelComparison& labels = *found.labels;
  return found.only_a() + found.only_b() == 0 && labels.differing_far == 0 &&
         100 * share_of(labels.equal, labels.equal + labels.differing) >= bar.equal_labels &&
         share_of(found.numbers.within, found.numbers.values) >= kMostScores &&
         found.numbers.absolute.maximum <= bar.absolute && found.numbers.not_finite == 0;
}

Verdict judge_precision(const Against& against, const Tolerance& bar) {
  Verdict verdict{
      .id = against.id,
      .name = against.name,
      .unit = "largest score difference",
      .bar = fmt::format("<= {:g}; <= {:g} for 99 % of the scores; {:g} % of the labels equal",
                         bar.absolute, bar.usual, bar.equal_labels)};
  verdict.value = largest_difference(against.comparison);
  const auto& datasets = against.comparison.datasets;
  const bool all_keep = std::ranges::all_of(datasets, [&bar](const DatasetComparison& found) {
    return !is_of_scores(found) || keeps(found, bar);
  });
  verdict.status = all_keep ? VerdictStatus::kPass : VerdictStatus::kMiss;
  return verdict;
}

// Runs this program with -k, so that it keeps its embeddings for the comparison.
Trial own_run(SuiteContext& context, const std::vector<fs::path>& inputs, const char* name,
              std::vector<std::string> arguments) {
  arguments.emplace_back("-k");
  return context.trials.run({.name = name, .inputs = inputs, .arguments = std::move(arguments)});
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
  return arguments;
}

struct Row {
  std::string_view id;
  std::string_view name;
};
constexpr Row kIdentity{"IDENTITY", "tables and embeddings of two runs with different batches"};
constexpr Row kIdentityOfWorkers{
    "IDENTITY", "tables and embeddings of two runs, the second with other batches and one worker"};
constexpr Row kPrecision{"PRECISION", "results compared with fp32"};

// The verdicts that compare one set of the original's results with this program's.
struct Original {
  Row row;
  Row own;   // with this program's own bar
  Row fp32;  // for this program's run in fp32
  Row fp32_own;
};
constexpr Original kBaseline{
    {"EQUIV-BASELINE", "results compared with the stored baseline"},
    {"EQUIV-BASELINE-OWN", "results compared with the stored baseline (our own, tighter limit)"},
    {"EQUIV-BASELINE-FP32", "fp32 results compared with the stored baseline"},
    {"EQUIV-BASELINE-FP32-OWN",
     "fp32 results compared with the stored baseline (our own, tighter limit)"}};
constexpr Original kVanilla{
    {"EQUIV-VANILLA", "results compared with the original, run here"},
    {"EQUIV-VANILLA-OWN", "results compared with the original, run here (our own, tighter limit)"},
    {"EQUIV-VANILLA-FP32", "fp32 results compared with the original, run here"},
    {"EQUIV-VANILLA-FP32-OWN",
     "fp32 results compared with the original, run here (our own, tighter limit)"}};

std::uint64_t batches_of(const Trial& run) {
  return run.telemetry.workload.batches.value_or(0);
}

// Returns a token budget so small that a run over the same frames has more batches.
std::uint64_t other_budget(const Trial& own) {
  const std::uint64_t tokens = own.telemetry.workload.esm_tokens.value_or(0);
  return std::clamp<std::uint64_t>(tokens / (batches_of(own) + 2), 1, kOtherBudget);
}

// This program's two runs over the same sequences.
struct OwnRuns {
  Trial own;
  std::optional<Trial> fp32;  // empty if `own` is in fp32
};

// Returns at most kMostEmbedded sequences. If the stored baseline has no sequences of its own, its
// results are for all data, so returns all data.
std::vector<fs::path> inputs_of(const SuiteContext& context) {
  const std::uint64_t all = context.settings.size.sequences;
  const fs::path& baseline = context.settings.baseline;
  if (!baseline.empty() && baseline_sequences(baseline).empty()) return context.data(all);
  return {context.data_file(std::min(all, kMostEmbedded))};
}

// Runs the parts of the suite and adds their results to the report.
class Equivalence {
 public:
  Equivalence(SuiteContext& context, SuiteReport& report)
      : context_(context),
        report_(report),
        inputs_(inputs_of(context)),
        runs_{own_run(context, inputs_, "own", context.whole_run_arguments()), {}} {}

  void hold_against_other_batches() {
    const Trial other = own_run(context_, inputs_, "other_batches",
                                with(context_.worker_arguments(1),
                                     {"--token-budget", std::to_string(other_budget(runs_.own))}));
    const Row& row = runs_.own.telemetry.workers.size() > 1 ? kIdentityOfWorkers : kIdentity;
    add(row, runs_.own, other.directory, {.exact = true}, 0);
    Verdict& verdict = report_.verdicts.back();
    if (verdict.value && batches_of(runs_.own) == batches_of(other)) {
      verdict = skipped_verdict(verdict, "both runs had the same batches: give more sequences");
    }
  }

  void hold_against_fp32() {
    if (context_.settings.precision == "fp32") return;
    runs_.fp32 = fp32_run(inputs_, "fp32");
    // Judges a run with --margin 0: computing close calls again would hide the precision's error.
    const bool has_margin = or_zero(runs_.own.telemetry.settings.margin) > 0;
    const Trial own = has_margin ? own_run(context_, inputs_, "margin_0",
                                           with(context_.whole_run_arguments(), {"--margin", "0"}))
                                 : runs_.own;
    const Tolerance bar = bar_of(context_.settings.precision);
    const Tolerance tolerance{.relative = 0, .absolute = bar.usual};
    all_.push_back({kPrecision.id, kPrecision.name,
                    compare({own.directory, runs_.fp32->directory, tolerance}, context_.cancel)});
    report_.verdicts.push_back(judge_precision(all_.back(), bar));
    if (has_margin) add_remark("measured with --margin 0", report_.verdicts.back());
  }

  void hold_against_baseline() {
    const BenchmarkSettings& settings = context_.settings;
    if (settings.baseline.empty()) return skip(kBaseline, settings.why_no_baseline);
    const StoredBaseline baseline(settings.baseline);
    for (Field& field : baseline.fields()) report_.section.fields.push_back(std::move(field));
    const std::string other =
        baseline.why_other(JsonValues::read(newest_telemetry(runs_.own.directory).summary));
    if (!other.empty()) return skip(kBaseline, other);
    context_.say(fmt::format("equivalence: the stored baseline is {}", baseline.text()));
    const fs::path sequences = baseline_sequences(settings.baseline);
    const std::size_t before = report_.verdicts.size();
    hold_against_original(kBaseline, baseline.place(),
                          sequences.empty() ? runs_ : runs_over(sequences));
    for (std::size_t k = before; k < report_.verdicts.size(); ++k) {
      add_remark(settings.baseline_remark, report_.verdicts[k]);
    }
  }

  void hold_against_vanilla() {
    if (context_.settings.vanilla_command.empty()) return skip(kVanilla, kNoVanilla);
    if (inputs_.size() != 1) {
      return skip(kVanilla, "the original takes one input file, and --data has several");
    }
    hold_against_original(kVanilla, run_vanilla(context_, inputs_.front()).directory, runs_);
  }

  void finish() {
    report_.section.note =
        "Rows are matched by their ids; docs/use/validation.md says when rows are equal.";
    report_.section.tables = {dataset_table(all_), row_table(all_)};
  }

 private:
  Trial fp32_run(const std::vector<fs::path>& inputs, const char* name) {
    return own_run(context_, inputs, name, context_.fp32_run_arguments());
  }

  // Makes this program's runs over a baseline's own sequences.
  OwnRuns runs_over(const fs::path& sequences) {
    const std::vector<fs::path> inputs{sequences};
    OwnRuns runs{own_run(context_, inputs, "baseline", context_.whole_run_arguments()), {}};
    if (runs_.fp32) runs.fp32 = fp32_run(inputs, "baseline_fp32");
    return runs;
  }

  void add(const Row& row, const Trial& own, const fs::path& other, const Tolerance& tolerance,
           double explained) {
    all_.push_back({row.id, row.name, compare({own.directory, other, tolerance}, context_.cancel)});
    report_.verdicts.push_back(verdict_of(all_.back(), explained));
  }

  // Compares both runs with the original's results. In fp32, the precision explains no difference.
  void hold_against_original(const Original& original, const fs::path& other, const OwnRuns& runs) {
    const double explained = explained_by(context_.settings.precision);
    add_original(original.row, runs.own, other, kRequiredTolerance, explained);
    keep_v2_figures(all_.back().comparison);
    add_original(original.own, runs.own, other, {}, explained);
    if (!runs.fp32) return;
    add_original(original.fp32, *runs.fp32, other, kRequiredTolerance, 0);
    add_original(original.fp32_own, *runs.fp32, other, {}, 0);
  }

  void add_original(const Row& row, const Trial& own, const fs::path& other,
                    const Tolerance& tolerance, double explained) {
    add(row, own, other, tolerance, explained);
    require_both_tables();
  }

  // Makes the last verdict a miss if the original's directory lacks one of the two tables.
  void require_both_tables() {
    const Comparison& comparison = all_.back().comparison;
    for (const std::string_view table : kOriginalTables) {
      if (std::ranges::find(comparison.datasets, table, &DatasetComparison::name) !=
          comparison.datasets.end()) {
        continue;
      }
      if (comparison.kind != "directory") continue;
      report_.verdicts.back().status = VerdictStatus::kMiss;
      report_.verdicts.back().detail = fmt::format("the original's results have no {}", table);
    }
  }

  void skip(const Original& original, std::string_view why) {
    for (const auto& [row, bar] :
         {std::pair(original.row, kRequiredTolerance), std::pair(original.own, Tolerance{})}) {
      report_.verdicts.push_back(skipped_verdict(
          {.id = row.id, .name = row.name, .bar = bar_text(bar)}, std::string(why)));
    }
  }

  void keep_v2_figures(const Comparison& comparison) {
    V2Figures::Equivalence figures{.predictions_match = true, .within_tolerance = true};
    for (const DatasetComparison& found : comparison.datasets) {
      if (!is_of_scores(found)) continue;
      figures.predictions_match = figures.predictions_match && found.labels->differing == 0;
      figures.within_tolerance = figures.within_tolerance && found.equal();
      figures.max_difference = std::max(figures.max_difference, found.numbers.absolute.maximum);
      figures.mean_difference = std::max(figures.mean_difference, found.numbers.absolute.average);
    }
    context_.v2.equivalence = figures;
  }

  SuiteContext& context_;
  SuiteReport& report_;
  const std::vector<fs::path> inputs_;
  OwnRuns runs_;
  std::vector<Against> all_;
};

struct Part {
  Row row;
  void (Equivalence::*run)();
};
constexpr std::array kParts{Part{kIdentity, &Equivalence::hold_against_other_batches},
                            Part{kPrecision, &Equivalence::hold_against_fp32},
                            Part{kBaseline.row, &Equivalence::hold_against_baseline},
                            Part{kVanilla.row, &Equivalence::hold_against_vanilla}};

// Runs a part. If the part fails, its row is skipped, and the other parts still run.
void run_part(const Part& part, SuiteContext& context, Equivalence& equivalence,
              SuiteReport& report, std::string& failures) {
  try {
    (equivalence.*part.run)();
  } catch (const Error& error) {
    const auto same = std::ranges::find(report.verdicts, part.row.id, &Verdict::id);
    if (same == report.verdicts.end()) {
      report.verdicts.push_back(
          skipped_verdict({.id = part.row.id, .name = part.row.name}, reason_of(error)));
    }
    if (context.cancel.requested()) throw;
    failures +=
        fmt::format("{}{}: {}", failures.empty() ? "" : "; ", part.row.id, reason_of(error));
  }
}

}  // namespace

void run_equivalence_suite(SuiteContext& context, SuiteReport& report) {
  Equivalence equivalence(context, report);
  std::string failures;
  try {
    for (const Part& part : kParts) run_part(part, context, equivalence, report, failures);
  } catch (const Error&) {  // interrupted: earlier results are reported
    equivalence.finish();
    throw;
  }
  equivalence.finish();
  if (!failures.empty()) throw Error(ErrorKind::kBenchmark, failures);
}

}  // namespace virnucpro
