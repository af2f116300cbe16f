#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "report/json_values.hpp"
#include "validate/compare.hpp"
#include "validate/suites.hpp"
#include "validate/vanilla.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSequences = 1'000;  // embeddings of more take much of a disk
constexpr std::array kOriginalTables{"prediction_results.txt",
                                     "prediction_results_highestscore.csv"};
constexpr const char* kOtherBudget = "1500";  // tokens: no batch is as it was

// What was held against this program's run.
struct Against {
  std::string_view id;
  std::string_view name;
  Comparison comparison;
};

bool is_of_scores(const DatasetComparison& dataset) {
  return dataset.labels.has_value();
}

Value share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? Value{static_cast<double>(part) / static_cast<double>(whole)} : Value{};
}

Table dataset_table(const std::vector<Against>& all) {
  Table table{.key = "comparisons", .caption = "This program's run against others"};
  table.columns = {{"against", "Against"},
                   {"dataset", "Dataset"},
                   {"rows", "Rows in both", Measure::kCount},
                   {"only_one", "In one alone", Measure::kCount},
                   {"identical", "Identical", Measure::kCount},
                   {"within_share", "Numbers within tolerance", Measure::kShare},
                   {"max_absolute", "Largest difference"},
                   {"mean_absolute", "Mean difference"},
                   {"max_relative", "Largest, relative"},
                   {"least_cosine", "Least cosine"},
                   {"labels_differing", "Other labels", Measure::kCount},
                   {"labels_far", "Not near the boundary", Measure::kCount}};
  const auto number = [](const Statistic& statistic, double value) {
    return statistic.count == 0 ? Value{} : Value{fmt::format("{:.3g}", value)};
  };
  for (const Against& against : all) {
    for (const DatasetComparison& found : against.comparison.datasets) {
      const NumberComparison& numbers = found.numbers;
      table.rows.push_back(
          {std::string(against.name), found.name, found.rows.in_both,
           found.only_a() + found.only_b(), found.identical, share(numbers.within, numbers.values),
           number(numbers.absolute, numbers.absolute.max),
           number(numbers.absolute, numbers.absolute.mean),
           number(numbers.relative, numbers.relative.max),
           found.cosine ? Value{fmt::format("{:.9f}", found.cosine->cosine.min)} : Value{},
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

// Labels that changed though the scores were not close are wrong answers; numbers beyond tolerance,
// and labels at the boundary, are for somebody to look at.
VerdictStatus status_of(const Comparison& comparison) {
  if (comparison.equal()) return VerdictStatus::kPass;
  const bool wrong = std::ranges::any_of(comparison.datasets, [](const DatasetComparison& found) {
    return found.only_a() + found.only_b() > 0 || (found.labels && found.labels->differing_far > 0);
  });
  return wrong ? VerdictStatus::kMiss : VerdictStatus::kWarn;
}

double largest_difference(const Comparison& comparison) {
  double largest = 0;
  for (const DatasetComparison& found : comparison.datasets) {
    if (is_of_scores(found)) largest = std::max(largest, found.numbers.absolute.max);
  }
  return largest;
}

Verdict verdict_of(const Against& against) {
  Verdict verdict{
      .id = against.id,
      .name = against.name,
      .unit = "largest score difference",
      .bar = against.comparison.tolerance.exact ? "the same bytes" : "equal labels, rtol 1e-3"};
  verdict.value = largest_difference(against.comparison);
  verdict.status = status_of(against.comparison);
  return verdict;
}

// What scores in 16 bits may differ by from those in fp32: the program's own contract.
struct PrecisionBar {
  double most_scores;   // that 99 % of them may
  double all_scores;    // that any may
  double equal_labels;  // percent at least
};
constexpr PrecisionBar kFp16Bar{5e-3, 2e-2, 99.8};
constexpr PrecisionBar kBf16Bar{2e-2, 5e-2, 99.5};
constexpr double kMostScores = 0.99;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

bool keeps(const DatasetComparison& found, const PrecisionBar& bar) {
  const LabelComparison& labels = *found.labels;
  return found.only_a() + found.only_b() == 0 && labels.differing_far == 0 &&
         100 * share_of(labels.equal, labels.equal + labels.differing) >= bar.equal_labels &&
         share_of(found.numbers.within, found.numbers.values) >= kMostScores &&
         found.numbers.absolute.max <= bar.all_scores && found.numbers.not_finite == 0;
}

Verdict judge_precision(const Against& against, const PrecisionBar& bar) {
  Verdict verdict{.id = against.id,
                  .name = against.name,
                  .unit = "largest score difference",
                  .bar = fmt::format("<= {:g}, 99 % <= {:g}, labels {:g} % equal", bar.all_scores,
                                     bar.most_scores, bar.equal_labels)};
  verdict.value = largest_difference(against.comparison);
  const auto& datasets = against.comparison.datasets;
  const bool all_keep = std::ranges::all_of(datasets, [&bar](const DatasetComparison& found) {
    return !is_of_scores(found) || keeps(found, bar);
  });
  verdict.status = all_keep ? VerdictStatus::kPass : VerdictStatus::kMiss;
  return verdict;
}

// Embeddings are compared where the other side has them.
Trial own_run(SuiteContext& context, const std::vector<fs::path>& inputs, const char* name,
              std::vector<std::string> words) {
  words.emplace_back("-k");
  return context.trials.run({.name = name, .inputs = inputs, .words = std::move(words)});
}

std::vector<std::string> with(std::vector<std::string> words,
                              std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

// Results of the original, and the rows that they are judged in.
struct Original {
  std::string_view id;
  std::string_view name;
  std::string_view fp32_id;  // against this program's run in fp32
  std::string_view fp32_name;
};

// The suite's parts, as they come.
class Equivalence {
 public:
  Equivalence(SuiteContext& context, SuiteReport& report)
      : context_(context),
        report_(report),
        inputs_(context.data(std::min(context.settings.size.sequences, kMostSequences))),
        own_(own_run(context, inputs_, "own", context.whole_words())) {}

  void hold_against_other_batches() {
    const Trial other = own_run(context_, inputs_, "other_batches",
                                with(context_.worker_words(1), {"--token-budget", kOtherBudget}));
    add("IDENTITY", "with other batches and one worker", own_, other.directory, {.exact = true});
  }

  void hold_against_fp32() {
    if (context_.settings.precision == "fp32") return;
    fp32_ =
        own_run(context_, inputs_, "fp32", with(context_.whole_words(), {"--precision", "fp32"}));
    const PrecisionBar& bar = context_.settings.precision == "bf16" ? kBf16Bar : kFp16Bar;
    const Tolerance tolerance{.relative = 0, .absolute = bar.most_scores};
    all_.push_back({"PRECISION", "in fp32",
                    compare({own_.directory, fp32_->directory, tolerance}, context_.cancel)});
    report_.verdicts.push_back(judge_precision(all_.back(), bar));
  }

  void hold_against_baseline() {
    constexpr Original kBaseline{"EQUIV-BASELINE", "the stored baseline", "EQUIV-BASELINE-FP32",
                                 "the stored baseline, against this program in fp32"};
    const fs::path& baseline = context_.settings.baseline;
    if (baseline.empty()) return skip(kBaseline, "none was given: --vanilla-baseline");
    tell_provenance(baseline);
    hold_against_original(kBaseline, baseline);
  }

  void hold_against_vanilla() {
    constexpr Original kVanilla{"EQUIV-VANILLA", "the original, run here", "EQUIV-VANILLA-FP32",
                                "the original, run here, against this program in fp32"};
    if (context_.settings.vanilla_command.empty()) return skip(kVanilla, kNoVanilla);
    hold_against_original(kVanilla, run_vanilla(context_, inputs_).directory);
  }

  void finish() {
    report_.section.note = "Rows are matched by their ids; docs/validation.md says what is equal.";
    report_.section.tables = {dataset_table(all_), row_table(all_)};
  }

 private:
  // What a stored baseline says of itself: who made it, with which program and weights.
  void tell_provenance(const fs::path& baseline) {
    const fs::path file = baseline / "provenance.json";
    std::error_code unknown;
    if (!fs::exists(file, unknown)) {
      report_.section.fields.push_back(
          {"baseline", "the baseline", "says nothing of itself: it has no provenance.json"});
      return;
    }
    const JsonValues told = JsonValues::read(file);
    for (const char* key : {"source", "date", "program", "version", "weights_hash"}) {
      const std::string label = fmt::format("the baseline's {}", key);
      report_.section.fields.push_back(
          {fmt::format("baseline_{}", key), label, told.text(key).value_or("not told")});
    }
  }

  void add(std::string_view id, std::string_view name, const Trial& own, const fs::path& other,
           const Tolerance& tolerance) {
    all_.push_back({id, name, compare({own.directory, other, tolerance}, context_.cancel)});
    report_.verdicts.push_back(verdict_of(all_.back()));
  }

  // The run in fp32, too: what is left of a difference there is no matter of precision.
  void hold_against_original(const Original& original, const fs::path& other) {
    add(original.id, original.name, own_, other, {});
    keep_v2_figures(all_.back().comparison);
    require_both_tables();
    if (!fp32_) return;
    add(original.fp32_id, original.fp32_name, *fp32_, other, {});
    require_both_tables();
  }

  // What is not compared is not equal.
  void require_both_tables() {
    const Comparison& comparison = all_.back().comparison;
    for (const char* table : kOriginalTables) {
      if (std::ranges::find(comparison.datasets, table, &DatasetComparison::name) !=
          comparison.datasets.end()) {
        continue;
      }
      if (comparison.kind != "directory") continue;
      report_.verdicts.back().status = VerdictStatus::kMiss;
      report_.verdicts.back().detail = fmt::format("there is no {}", table);
    }
  }

  void skip(const Original& original, std::string_view why) {
    report_.verdicts.push_back(
        skipped_verdict({.id = original.id, .name = original.name}, std::string(why)));
  }

  void keep_v2_figures(const Comparison& comparison) {
    V2Figures::Equivalence figures{.predictions_match = true, .within_tolerance = true};
    for (const DatasetComparison& found : comparison.datasets) {
      if (!is_of_scores(found)) continue;
      figures.predictions_match = figures.predictions_match && found.labels->differing == 0;
      figures.within_tolerance = figures.within_tolerance && found.equal();
      figures.max_difference = std::max(figures.max_difference, found.numbers.absolute.max);
      figures.mean_difference = std::max(figures.mean_difference, found.numbers.absolute.mean);
    }
    context_.v2.equivalence = figures;
  }

  SuiteContext& context_;
  SuiteReport& report_;
  const std::vector<fs::path> inputs_;
  const Trial own_;
  std::optional<Trial> fp32_;  // none where its own precision is that
  std::vector<Against> all_;
};

}  // namespace

void run_equivalence_suite(SuiteContext& context, SuiteReport& report) {
  Equivalence equivalence(context, report);
  try {
    equivalence.hold_against_other_batches();
    equivalence.hold_against_fp32();
    equivalence.hold_against_baseline();
    equivalence.hold_against_vanilla();
  } catch (const Error&) {  // what was found before is told
    equivalence.finish();
    throw;
  }
  equivalence.finish();
}

}  // namespace virnucpro
