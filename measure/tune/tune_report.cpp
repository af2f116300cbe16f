#include "measure/tune/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "measure/timing/budget_sweep.hpp"
#include "measure/timing/spread.hpp"

namespace virnucpro {
namespace {

constexpr const char* kTuneSchema = "virnucpro-tune-1";
constexpr std::size_t kLongestWhy = 600;
// Fewer batches per worker give no reliable rate: the first batch waits for input, and the last
// batches are not full.
constexpr std::uint64_t kFewBatches = 4;

std::string models_text(const TuneFacts& facts) {
  return fmt::format("{}, {}, {}", facts.dnabert_s, facts.esm2, facts.classifier);
}

std::string rate_text(const TuneResult& result) {
  return value_text(result.rate(), Measure::kCount) + " sequences/s";
}

// --- JSON ----------------------------------------------------------------------------------------

Json json_of(const TuneCell& cell) {
  return {{"precision", name_of(cell.precision)},
          {"threads", cell.threads},
          {"prefetch", cell.prefetch},
          {"token_budget", cell.token_budget},
          {"journal_interval", cell.journal_interval}};
}

Json json_of(const std::optional<double>& number) {
  return number ? Json(*number) : Json();
}

Json json_of(const std::vector<TuneRun>& runs) {
  std::vector<Json> json;
  for (const TuneRun& run : runs) {
    json.push_back({{"sequences_per_second", run.sequences_per_second},
                    {"seconds", run.seconds},
                    {"batches", run.batches},
                    {"gpu_percent", json_of(run.gpu_percent)}});
  }
  return json;
}

Json json_of(const TuneOutcome& outcome, const TuneResult& result) {
  Json json = json_of(result.cell);
  json["state"] = name_of(result.state);
  json["why"] = result.why.empty() ? Json() : Json(result.why);
  const bool measured = !result.rounds.empty();
  json["sequences_per_second"] = measured ? Json(result.rate()) : Json();
  json["relative"] = measured ? Json(relative_rate(outcome.results, result)) : Json();
  json["gpu_percent"] = json_of(result.gpu_percent());
  std::vector<Json> rounds;
  for (const std::vector<TuneRun>& runs : result.rounds) rounds.push_back(json_of(runs));
  json["rounds"] = std::move(rounds);
  return json;
}

Json json_of(const std::vector<TuneRound>& rounds) {
  std::vector<Json> json;
  for (const TuneRound& round : rounds) {
    json.push_back(
        {{"sequences", round.sequences}, {"repeats", round.repeats}, {"bar", round.bar}});
  }
  return json;
}

Json machine_of(const TuneFacts& facts) {
  return {{"host", facts.provenance.host},
          {"processor", facts.provenance.processor},
          {"device", facts.device},
          {"devices", facts.provenance.devices},
          {"driver", facts.provenance.driver.empty() ? Json() : Json(facts.provenance.driver)}};
}

// --- page ----------------------------------------------------------------------------------------

std::string mark_text(const TuneOutcome& outcome, const TuneResult& result) {
  if (result.rounds.empty()) return std::string(name_of(result.state));
  std::string text = fmt::format("{:.0f} %", 100 * relative_rate(outcome.results, result));
  if (&result == &outcome.best()) return text + ", best";
  if (result.state == TuneState::kFinished) return text;
  if (result.state == TuneState::kOutOfMemory) return text + ", memory";
  return fmt::format("{}, {}", text, name_of(result.state));
}

HeatCell heat_cell(const TuneOutcome& outcome, const TuneResult& result) {
  HeatCell cell{.note = mark_text(outcome, result)};
  if (!result.rounds.empty()) {
    cell.value = result.rate();
    cell.heat = relative_rate(outcome.results, result);
  }
  if (result.state != TuneState::kFinished) cell.mark = HeatMark::kLeftOut;
  if (&result == &outcome.best()) cell.mark = HeatMark::kChosen;
  return cell;
}

std::vector<std::string> names_of(const std::vector<std::size_t>& values) {
  std::vector<std::string> names;
  for (const std::size_t value : values) names.push_back(std::to_string(value));
  return names;
}

// Plots the cells that differ from `shared` at most in threads and token budget.
Plot heat_map(const TuneOutcome& outcome, const TuneCell& shared) {
  const std::string name(name_of(shared.precision));
  const double interval = shared.journal_interval;
  Plot plot{
      .key = fmt::format("{}_prefetch_{}_journal_{}", name, shared.prefetch, interval),
      .title = fmt::format("{}, prefetch {}, journal {:g} s", name, shared.prefetch, interval),
      .kind = PlotKind::kHeatMap,
      .x_label = "token budget",
      .y_label = "sequences a second",
      .unit = Measure::kPerSecond};
  plot.map.row_label = "threads";
  plot.map.rows = names_of(outcome.grid.threads);
  plot.map.columns = names_of(outcome.grid.token_budgets);
  for (const TuneResult& result : outcome.results) {
    TuneCell cell = result.cell;
    cell.threads = shared.threads;
    cell.token_budget = shared.token_budget;
    if (cell == shared) plot.map.cells.push_back(heat_cell(outcome, result));
  }
  return plot;
}

Section map_section(const TuneOutcome& outcome) {
  Section section{.key = "maps", .title = "Rates of all cells of the grid"};
  section.note =
      "A cell is a combination of settings. Its percentage compares its rate, in the last round "
      "that it took part in, with the rate of the fastest cell in that round. Cells with a dashed "
      "line were not measured to the end.";
  TuneGrid grid = outcome.grid;
  grid.threads.resize(1);
  grid.token_budgets.resize(1);
  for (const TuneCell& cell : cells_of(grid)) section.plots.push_back(heat_map(outcome, cell));
  return section;
}

Section best_section(const TuneFacts& facts, const TuneOutcome& outcome) {
  Section section{.key = "best", .title = "The best settings"};
  section.note = winner_text(outcome);
  section.preformatted =
      shown_text(fmt::format("virnucpro -c {} predict INPUT", facts.configuration));
  return section;
}

std::vector<Value> row_of(const TuneOutcome& outcome, const TuneResult& result) {
  const TuneCell& cell = result.cell;
  std::vector<Value> row{std::string(name_of(cell.precision)),
                         std::uint64_t{cell.threads},
                         std::uint64_t{cell.prefetch},
                         std::uint64_t{cell.token_budget},
                         cell.journal_interval,
                         std::string(name_of(result.state)),
                         std::uint64_t{result.rounds.size()}};
  if (result.rounds.empty()) {
    row.resize(row.size() + 7);
  } else {
    const std::vector<TuneRun>& runs = result.rounds.back();
    const Spread rates = spread_of(result.rates(result.rounds.size() - 1));
    std::vector<double> seconds;
    for (const TuneRun& run : runs) seconds.push_back(run.seconds);
    row.insert(row.end(),
               {rates.median, rates.least, rates.most, relative_rate(outcome.results, result),
                spread_of(std::move(seconds)).median, std::uint64_t{runs.back().batches}});
    const std::optional<double> gpu = result.gpu_percent();
    row.push_back(gpu ? Value{*gpu} : Value{});
  }
  row.emplace_back(shown_text(result.why, kLongestWhy));
  return row;
}

Section cell_section(const TuneOutcome& outcome) {
  Table table{.key = "cells", .caption = "Each cell, in the last round that it took part in"};
  table.columns = {{"precision", "Precision"},
                   {"threads", "Threads", Measure::kCount},
                   {"prefetch", "Prefetch", Measure::kCount},
                   {"token_budget", "Token budget", Measure::kCount},
                   {"journal_interval", "Journal", Measure::kSeconds},
                   {"state", "State"},
                   {"rounds", "Rounds", Measure::kCount},
                   {"sequences_per_second", "Sequences", Measure::kPerSecond},
                   {"least", "Slowest repeat", Measure::kPerSecond},
                   {"most", "Fastest repeat", Measure::kPerSecond},
                   {"relative", "Share of the fastest rate", Measure::kShare},
                   {"seconds", "Whole run", Measure::kSeconds},
                   {"batches", "Batches", Measure::kCount},
                   {"gpu_percent", "GPU busy", Measure::kPercent},
                   {"why", "Why not measured to the end"}};
  for (const TuneResult& result : outcome.results) table.rows.push_back(row_of(outcome, result));
  Table rounds{.key = "rounds", .caption = "Rounds"};
  rounds.columns = {{"sequences", "Sequences", Measure::kCount},
                    {"repeats", "Repeats", Measure::kCount},
                    {"bar", "Stopped below", Measure::kShare}};
  for (const TuneRound& round : outcome.rounds) {
    rounds.rows.push_back({round.sequences, std::uint64_t{round.repeats},
                           round.bar > 0 ? Value{round.bar} : Value{std::string("none")}});
  }
  return {.key = "cells",
          .title = "Every cell",
          .note =
              "Rates count only the time in which a run computed. The time of a whole run includes "
              "loading the models and writing the tables. After a round, a cell is stopped if "
              "even its fastest repeat is slower than the slowest repeat of the fastest cell, "
              "times the round's share in the column \"Stopped below\".",
          .tables = {std::move(table), std::move(rounds)}};
}

Section machine_section(const TuneFacts& facts) {
  Section section{.key = "machine", .title = "What was measured, and on which machine"};
  section.fields = fields_of(facts.provenance);
  section.fields.insert(section.fields.end(),
                        {{"device", "device", facts.device},
                         {"models", "models", shown_text(models_text(facts))},
                         {"chunk_size", "chunk size", facts.chunk_size, Measure::kCount},
                         {"data", "data", shown_text(facts.data)}});
  section.preformatted = shown_text(facts.provenance.command, kLongestCommand);
  return section;
}

}  // namespace

std::vector<std::string> warnings_of(const TuneFacts& facts, const TuneOutcome& outcome) {
  std::vector<std::string> warnings;
  const auto has_few = [&facts](const TuneResult& result) {
    return result.state == TuneState::kFinished &&
           result.rounds.back().back().batches < kFewBatches * facts.workers;
  };
  const auto few = std::ranges::count_if(outcome.results, has_few);
  if (few > 0) {
    warnings.push_back(
        fmt::format("{} of the cells that were measured to the end had fewer than {} batches for "
                    "each worker, so their rates are not reliable: give more sequences "
                    "(--data-size or --test-file).",
                    few, kFewBatches));
  }
  const std::vector<std::size_t>& budgets = outcome.grid.token_budgets;
  if (budgets.size() > 1 && outcome.best().cell.token_budget == budgets.back()) {
    warnings.emplace_back(
        "The best token budget is the largest of the grid: try larger budgets, too "
        "(--budget-grid).");
  }
  return warnings;
}

std::string winner_text(const TuneOutcome& outcome) {
  const std::string best = cell_text(outcome.best().cell);
  const std::string fastest = rate_text(outcome.results[outcome.winner.fastest]);
  if (outcome.winner.alike == 1) {
    return fmt::format("{}: the fastest of {} cells, with {}.", best, outcome.results.size(),
                       fastest);
  }
  return fmt::format(
      "{}: of {} cells, {} are within {:.0f} % of the fastest, which computes {}. Repeats of one "
      "run differ by as much, so these cells are about equally fast. This one has the "
      "smallest token budget, then the fewest threads, the smallest prefetch and the shortest "
      "journal interval: it takes the least memory, leaves processors to others, and loses least "
      "if it is killed.",
      best, outcome.results.size(), outcome.winner.alike, 100 * (1 - kGoodEnough), fastest);
}

std::string tune_yaml(const TuneFacts& facts, const TuneOutcome& outcome) {
  const TuneCell& cell = outcome.best().cell;
  const auto comment = [](const char* what, const std::string& text) {
    return fmt::format("# {:<9}{}\n", what, shown_text(text));
  };
  std::string text = fmt::format(
      "# Written by virnucpro tune {} on {}: virnucpro -c FILE predict …\n"
      "# These settings are the best for this machine and these models:\n",
      facts.provenance.version, facts.provenance.time.substr(0, facts.provenance.time.find('T')));
  text += comment("host", facts.provenance.host) + comment("machine", facts.provenance.processor) +
          comment("device", facts.device);
  for (const std::string& device : facts.provenance.devices) text += comment("gpu", device);
  text += comment("models", models_text(facts)) + comment("data", facts.data) +
          comment("rate", rate_text(outcome.best()));
  text += fmt::format(
      "run:\n  precision: {}\n  threads: {}\n  token_budget: {}\n  prefetch: {}\n"
      "  journal_interval: {}\n",
      name_of(cell.precision), cell.threads, cell.token_budget, cell.prefetch,
      cell.journal_interval);
  if (cell.precision == Precision::kInt8) {
    text += fmt::format("  int8_keep: {}\n", facts.int8_keep);
  }
  return text;
}

std::string tune_json(const TuneFacts& facts, const TuneOutcome& outcome) {
  Json winner = json_of(outcome.best().cell);
  winner["sequences_per_second"] = outcome.best().rate();
  winner["alike"] = outcome.winner.alike;
  winner["why"] = winner_text(outcome);
  std::vector<Json> cells;
  for (const TuneResult& result : outcome.results) cells.push_back(json_of(outcome, result));
  const Json json{{"schema", kTuneSchema},
                  {"time", facts.provenance.time},
                  {"version", facts.provenance.version},
                  {"build", facts.provenance.build},
                  {"commit", facts.provenance.commit},
                  {"command", facts.provenance.command},
                  {"machine", machine_of(facts)},
                  {"models",
                   {{"dnabert_s", facts.dnabert_s},
                    {"esm2", facts.esm2},
                    {"classifier", facts.classifier},
                    {"synthetic_weights", facts.synthetic}}},
                  {"chunk_size", facts.chunk_size},
                  {"data", facts.data},
                  {"int8_keep", facts.int8_keep},
                  {"rounds", json_of(outcome.rounds)},
                  {"warnings", warnings_of(facts, outcome)},
                  {"winner", std::move(winner)},
                  {"cells", std::move(cells)}};
  return json.dump(1) + "\n";
}

Page tune_page(const TuneFacts& facts, const TuneOutcome& outcome) {
  const TuneCell& cell = outcome.best().cell;
  Page page{.title = "virnucpro tune",
            .subtitle = fmt::format("{} · {} · {}", facts.provenance.time, facts.device,
                                    facts.provenance.host)};
  if (facts.synthetic) page.badges.emplace_back("synthetic weights");
  page.highlights = {
      {"sequences_per_second", "sequences a second", outcome.best().rate(), Measure::kPerSecond},
      {"token_budget", "token budget", std::uint64_t{cell.token_budget}, Measure::kCount},
      {"threads", "threads", std::uint64_t{cell.threads}, Measure::kCount},
      {"prefetch", "prefetch", std::uint64_t{cell.prefetch}, Measure::kCount},
      {"precision", "precision", std::string(name_of(cell.precision))}};
  page.warnings = warnings_of(facts, outcome);
  page.sections = {best_section(facts, outcome), map_section(outcome), cell_section(outcome),
                   machine_section(facts)};
  return page;
}

}  // namespace virnucpro
