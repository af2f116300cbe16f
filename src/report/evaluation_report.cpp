#include "report/evaluation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostPoints = 300;  // points of a curve
constexpr std::size_t kReliabilityBins = 10;

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Returns words that say what the score of a sequence is under this rule.
std::string score_words(const CallRule& rule) {
  if (rule.is_viral_ngs()) return "its weighted_delta under the rule viral-ngs";
  return fmt::format(
      "the largest virus score that a share of at least {:g} of its chunks reaches, where a chunk "
      "that is not virus counts as 0 (rule majority)",
      rule.min_share());
}

std::string chunks_text(const ChunkBin& bin) {
  const std::string number =
      bin.most == ChunkBin::kNoMost ? fmt::format("{} or more", bin.least) : text_of(bin);
  return fmt::format("{} scored chunk{}", number, bin == ChunkBin{1, 1} ? "" : "s");
}

// Returns the bin's bound if none of its others (non-viruses) is called virus: the lowest possible.
Value least_rate(const BinEvaluation& bin) {
  return bin.scores.others() == 0 ? Value{} : Value{bin.none.bound};
}

std::string percent(const std::optional<double>& part) {
  return part ? fmt::format("{:.4g} %", 100 * *part) : "-";
}

Table bin_table(const EvaluationFacts& facts, const Evaluation& found) {
  Table table{.key = "bins", .caption = "Sequences by their number of scored chunks"};
  table.columns = {{"scored_chunks", "Scored chunks"},
                   {"viruses", "Viruses", Measure::kCount},
                   {"others", "Others", Measure::kCount},
                   {"groups", "Groups among the others", Measure::kCount},
                   {"roc_auc", "ROC AUC", Measure::kScore, "–"},
                   {"average_precision", "Average precision", Measure::kScore, "–"},
                   {"least_bound", "Lowest provable rate of false calls", Measure::kShare, "–"}};
  if (facts.false_rate) {
    table.columns.insert(
        table.columns.end(),
        {{"cut_off", "Cut-off", Measure::kExact, "none"},
         {"found", "Viruses found", Measure::kShare, "–"},
         {"false_calls", "Others called virus", Measure::kCount, "–"},
         {"effective", "Effective number of others", Measure::kNone, "–"},
         {"bound", "Upper bound of the share of others called virus", Measure::kShare, "–"}});
  }
  for (const BinEvaluation& bin : found.bins) {
    const LabelledScores& scores = bin.scores;
    std::vector<Value>& row = table.rows.emplace_back(
        std::vector<Value>{text_of(bin.bin), scores.viruses(), scores.others(),
                           scores.groups_of_others(), optional_value(scores.roc_auc()),
                           optional_value(scores.average_precision()), least_rate(bin)});
    if (!facts.false_rate) continue;
    if (bin.chosen) {
      row.insert(row.end(), {bin.chosen->cut_off, share_value(bin.chosen->found, scores.viruses()),
                             bin.chosen->false_calls, bin.chosen->effective, bin.chosen->bound});
    } else {
      row.insert(row.end(), 5, Value{});
    }
  }
  return table;
}

Table cut_off_table(const Evaluation& found) {
  Table table{.key = "cut_offs", .caption = "Errors at the cut-offs of --at, or at usual ones"};
  table.columns = {{"scored_chunks", "Scored chunks"},
                   {"cut_off", "Cut-off", Measure::kExact},
                   {"viruses_found", "Viruses called virus", Measure::kCount},
                   {"found", "Viruses found", Measure::kShare, "–"},
                   {"false_calls", "Others called virus", Measure::kCount},
                   {"false_rate", "Share of others called virus", Measure::kShare, "–"},
                   {"effective", "Effective number of others"},
                   {"bound", "Upper bound of this share", Measure::kShare}};
  for (const BinEvaluation& bin : found.bins) {
    const LabelledScores& scores = bin.scores;
    if (scores.viruses() + scores.others() == 0) continue;
    for (const CutOffFigures& at : bin.given) {
      table.rows.push_back({text_of(bin.bin), at.cut_off, at.found,
                            share_value(at.found, scores.viruses()), at.false_calls,
                            share_value(at.false_calls, scores.others()), at.effective, at.bound});
    }
  }
  return table;
}

// Returns at most kMostPoints points of a curve, evenly spaced; the last point is one of them.
std::vector<LabelledScores::Point> some_points(const LabelledScores& scores) {
  const std::vector<LabelledScores::Point> all = scores.points();
  if (all.size() <= kMostPoints) return all;
  std::vector<LabelledScores::Point> chosen;
  for (std::size_t k = 0; k < kMostPoints; ++k) {
    chosen.push_back(all[k * (all.size() - 1) / (kMostPoints - 1)]);
  }
  return chosen;
}

Plot plot_of(const char* key, const char* title, const char* x_label, const char* y_label) {
  return {.key = key,
          .title = title,
          .kind = PlotKind::kOverNumber,
          .x_label = x_label,
          .y_label = y_label};
}

std::vector<Plot> curves(const Evaluation& found) {
  Plot roc = plot_of("roc", "ROC curve: viruses found against false calls",
                     "share of others called virus", "share of viruses called virus");
  Plot precision = plot_of("precision_recall", "Precision against recall",
                           "share of viruses called virus", "share of virus calls that are right");
  for (const BinEvaluation& bin : found.bins) {
    const LabelledScores& scores = bin.scores;
    if (scores.viruses() == 0 || scores.others() == 0) continue;
    PlotLine& roc_line = roc.lines.emplace_back(PlotLine{.name = chunks_text(bin.bin)});
    PlotLine& precision_line = precision.lines.emplace_back(PlotLine{.name = roc_line.name});
    roc_line.points.push_back({0, 0});
    for (const LabelledScores::Point& point : some_points(scores)) {
      const double recall = ratio(point.found, scores.viruses()).value_or(0);
      roc_line.points.push_back({ratio(point.false_calls, scores.others()).value_or(0), recall});
      precision_line.points.push_back(
          {recall, ratio(point.found, point.found + point.false_calls).value_or(0)});
    }
  }
  return {std::move(roc), std::move(precision)};
}

Section reliability_section(const Evaluation& found) {
  Section section{.key = "reliability", .title = "Are scores probabilities?"};
  section.note =
      "If scores were probabilities, 80 % of the sequences with a score of 0.8 would be viruses. "
      "The share of viruses also depends on how many viruses and others were given.";
  Plot plot = plot_of("reliability", "Share of viruses by score", "mean score", "share of viruses");
  const double least = found.rule.is_viral_ngs() ? -1 : 0;
  for (const BinEvaluation& bin : found.bins) {
    PlotLine line{.name = chunks_text(bin.bin)};
    for (const ReliabilityBin& one : bin.scores.reliability(least, 1, kReliabilityBins)) {
      const auto viruses = ratio(one.viruses, one.viruses + one.others);
      if (viruses) line.points.push_back({one.mean_score, *viruses});
    }
    if (!line.points.empty()) plot.lines.push_back(std::move(line));
  }
  section.plots = {std::move(plot)};
  return section;
}

std::string bound_text(const Evaluation& found) {
  return fmt::format(
      "The rate of false calls is the share of others that are called virus, not the share of "
      "virus calls that are wrong. In each bin, the rate is at most the bound, with {:g} % "
      "confidence. The bounds of all {} bins hold together with 95 % confidence (Clopper and "
      "Pearson 1934; Bonferroni).{}",
      100 * found.confidence, found.bins.size(),
      found.with_groups
          ? " Sequences of one group are not independent, so they tell less than their number "
            "suggests. The effective number of others says how many independent sequences would "
            "give the rate about as precisely (Korn and Graubard 1998). For a cut-off that was "
            "chosen for --fpr, the bound shown is the rate given there."
          : " The bounds hold for independent sequences: if several are of one genome, give "
            "--groups.");
}

Section bin_section(const EvaluationFacts& facts, const Evaluation& found) {
  Section section{.key = "calls", .title = "Viruses and others"};
  section.note =
      fmt::format("The score of a sequence is {}. {}", score_words(found.rule), bound_text(found));
  section.tables = {bin_table(facts, found)};
  if (!facts.file.empty()) {
    section.preformatted =
        shown_text(fmt::format("virnucpro predict INPUT --cutoff {}", facts.file));
  }
  return section;
}

Section data_section(const EvaluationFacts& facts, const Evaluation& found) {
  Section section{.key = "data", .title = "Runs and program", .folded = true};
  Table table{.key = "runs", .caption = "Runs"};
  table.columns = {{"run", "Run"}, {"sequences", "Sequences", Measure::kCount}, {"hash", "Hash"}};
  for (const EvaluatedRun& run : found.runs) {
    table.rows.push_back({shown_text(run.path), run.sequences, run.identity});
  }
  section.tables = {std::move(table)};
  section.fields = fields_of(facts.provenance);
  for (const auto& [name, value] : found.made_for) {
    section.fields.push_back({name, name, shown_text(value)});
  }
  section.preformatted = shown_text(facts.provenance.command, kLongestCommand);
  return section;
}

std::vector<std::string> warnings_of(const EvaluationFacts& facts, const Evaluation& found) {
  std::vector<std::string> warnings;
  if (found.synthetic) {
    warnings.emplace_back(
        "The weights are synthetic (seeded random numbers): these figures mean nothing.");
  }
  if (found.failed_inputs > 0) {
    warnings.push_back(
        fmt::format("Number of inputs that the runs could not read, and that are missing here: {}.",
                    grouped(found.failed_inputs)));
  }
  if (found.unlabelled > 0) {
    warnings.push_back(fmt::format("{} sequences of the runs have no label and are not counted.",
                                   grouped(found.unlabelled)));
  }
  if (!facts.false_rate) return warnings;
  std::vector<std::string> empty;
  for (const BinEvaluation& bin : found.bins) {
    if (bin.chosen) continue;
    const LabelledScores& scores = bin.scores;
    if (scores.others() == 0) {
      empty.push_back(text_of(bin.bin));
      continue;
    }
    warnings.push_back(fmt::format(
        "No sequence with {} will be called virus: {}.", chunks_text(bin.bin),
        bin.none.bound <= *facts.false_rate
            ? "too many others are among the sequences with the highest scores"
            : fmt::format("with {} others{}, a rate of false calls below {} cannot be proved; give "
                          "more others, or fewer --bins",
                          grouped(scores.others()),
                          found.with_groups
                              ? fmt::format(" in {} groups", grouped(scores.groups_of_others()))
                              : "",
                          percent(bin.none.bound))));
  }
  if (!empty.empty()) {
    warnings.push_back(
        fmt::format("No sequence with these numbers of scored chunks will be called virus: {}. The "
                    "runs have no others with such a number.",
                    fmt::join(empty, ", ")));
  }
  return warnings;
}

}  // namespace

Page evaluation_page(const EvaluationFacts& facts, const Evaluation& found) {
  Page page{.title = "virnucpro evaluate",
            .subtitle = fmt::format("{} · {} · {}", facts.provenance.time,
                                    word_of(found.rule.name()), facts.provenance.host)};
  if (found.synthetic) page.badges.emplace_back("synthetic weights");
  page.highlights = {
      {"viruses", "viruses", found.viruses.sequences, Measure::kCount},
      {"viruses_unscored", "viruses without a score",
       share_value(found.viruses.unscored, found.viruses.sequences), Measure::kShare},
      {"others", "others", found.others.sequences, Measure::kCount},
      {"others_unscored", "others without a score",
       share_value(found.others.unscored, found.others.sequences), Measure::kShare}};
  if (facts.false_rate) {
    page.highlights.push_back(
        {"false_rate", "limit of the rate of false calls", *facts.false_rate, Measure::kShare});
  }
  page.warnings = warnings_of(facts, found);
  Section curve_section{.key = "curves", .title = "Curves over all cut-offs"};
  curve_section.plots = curves(found);
  Section given{.key = "given", .title = "Errors at some cut-offs"};
  given.note =
      "A bound is valid only for a cut-off that was chosen without these sequences. To choose a "
      "cut-off from these sequences, use --fpr.";
  given.tables = {cut_off_table(found)};
  page.sections = {bin_section(facts, found), std::move(curve_section), std::move(given),
                   reliability_section(found), data_section(facts, found)};
  return page;
}

std::string evaluation_text(const EvaluationFacts& facts, const Evaluation& found) {
  const auto origin = [](const char* name, const OriginCount& count) {
    return fmt::format("{:<8}{:>12}, {} unscored\n", name, grouped(count.sequences),
                       percent(ratio(count.unscored, count.sequences)));
  };
  std::string text = origin("viruses", found.viruses) + origin("others", found.others);
  text += fmt::format("\n{:>13}  {:>10}  {:>10}  {:>8}", "scored chunks", "viruses", "others",
                      "ROC AUC");
  if (facts.false_rate) {
    text +=
        fmt::format("  {:>19}  {:>9}  {:>11}  {:>9}", "cut-off", "found", "false calls", "at most");
  }
  text += '\n';
  for (const BinEvaluation& bin : found.bins) {
    const LabelledScores& scores = bin.scores;
    const std::optional<double> area = scores.roc_auc();
    text +=
        fmt::format("{:>13}  {:>10}  {:>10}  {:>8}", text_of(bin.bin), grouped(scores.viruses()),
                    grouped(scores.others()), area ? fmt::format("{:.4f}", *area) : "-");
    if (facts.false_rate && bin.chosen) {
      text += fmt::format("  {:>19}  {:>9}  {:>11}  {:>9}", bin.chosen->cut_off,
                          percent(ratio(bin.chosen->found, scores.viruses())),
                          grouped(bin.chosen->false_calls), percent(bin.chosen->bound));
    } else if (facts.false_rate) {
      text += fmt::format("  {:>19}", "none");
    }
    text += '\n';
  }
  if (!facts.file.empty()) {
    text +=
        fmt::format("\nto use it: virnucpro predict INPUT --cutoff {}\n", printable(facts.file));
  }
  return text;
}

Json evaluation_details(const EvaluationFacts& facts, const Evaluation& found) {
  std::vector<Json> bins;
  for (const BinEvaluation& bin : found.bins) {
    bins.push_back({{"scored_chunks", text_of(bin.bin)},
                    {"viruses", bin.scores.viruses()},
                    {"others", bin.scores.others()},
                    {"groups", bin.scores.groups_of_others()},
                    {"found", bin.chosen ? bin.chosen->found : 0},
                    {"false_calls", bin.chosen ? bin.chosen->false_calls : 0}});
  }
  std::vector<Json> runs;
  for (const EvaluatedRun& run : found.runs) {
    runs.push_back({{"run", run.path}, {"hash", run.identity}, {"sequences", run.sequences}});
  }
  return {{"data",
           {{"runs", std::move(runs)},
            {"labels", facts.labels},
            {"labels_hash", found.labels_hash},
            {"groups", facts.groups},
            {"groups_hash", found.groups_hash},
            {"bins", std::move(bins)},
            {"synthetic_weights", found.synthetic}}},
          {"confidence_of_a_bin", found.confidence},
          {"time", facts.provenance.time},
          {"host", facts.provenance.host},
          {"version", facts.provenance.version},
          {"commit", facts.provenance.commit},
          {"command", facts.provenance.command}};
}

}  // namespace virnucpro
