#include "report/compared_runs_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/version.hpp"
#include "report/page_sections.hpp"

namespace virnucpro {
namespace {

using Runs = std::vector<RunFacts>;
using Differences = std::vector<ScoreDifferences>;
using ValueOf = std::function<Value(const RunFacts&)>;

// Returns a table with one column per run and no rows.
Table run_columns(std::string key, std::string caption, const Runs& runs,
                  Measure measure = Measure::kNone) {
  Table table;
  table.key = std::move(key);
  table.caption = std::move(caption);
  table.columns = {{"what", "What"}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    table.columns.push_back({fmt::format("run_{}", k + 1), runs[k].name, measure});
  }
  return table;
}

void add_ratio_columns(const Runs& runs, Table& table) {
  for (std::size_t k = 1; k < runs.size(); ++k) {
    table.columns.push_back(
        {fmt::format("ratio_{}", k + 1), fmt::format("{} / first", runs[k].name), Measure::kNone});
  }
}

double number_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  const auto* count = std::get_if<std::uint64_t>(&value);
  return count == nullptr ? 0 : static_cast<double>(*count);
}

Value ratio(const Value& value, const Value& first) {
  if (number_of(first) <= 0 || number_of(value) <= 0) return {};
  return fmt::format("{:.3g}", number_of(value) / number_of(first));
}

// Adds a row with each run's number, then the ratio of each later run's number to the first run's.
void add_figure(const char* label, Measure measure, const Runs& runs, const ValueOf& value_of,
                Table& table) {
  std::vector<Value> row{label};
  const Value first = value_of(runs.front());
  for (const RunFacts& run : runs) row.emplace_back(value_text(value_of(run), measure));
  for (std::size_t k = 1; k < runs.size(); ++k) {
    row.push_back(ratio(value_of(runs[k]), first));
  }
  table.rows.push_back(std::move(row));
}

Section speed_section(const Runs& runs) {
  Section section{.key = "throughput", .title = "Throughput"};
  Table table = run_columns("figures", "Figures of each run, and their ratios to the first", runs);
  add_ratio_columns(runs, table);
  const auto add = [&](const char* label, Measure measure, auto part, auto member) {
    add_figure(
        label, measure, runs,
        [=](const RunFacts& facts) { return measured(facts.telemetry.*part.*member); }, table);
  };
  using Recorded = RunTelemetry;
  add("Time", Measure::kSeconds, &Recorded::run, &Recorded::Run::seconds);
  add("Sequences", Measure::kPerSecond, &Recorded::throughput,
      &Recorded::Throughput::sequences_per_second);
  add("Frames", Measure::kPerSecond, &Recorded::throughput,
      &Recorded::Throughput::frames_per_second);
  add("ESM-2 tokens", Measure::kPerSecond, &Recorded::throughput,
      &Recorded::Throughput::esm_tokens_per_second);
  add("Packing", Measure::kShare, &Recorded::packing, &Recorded::Packing::efficiency);
  add("Least packed batch", Measure::kShare, &Recorded::packing, &Recorded::Packing::least);
  add("Average wait", Measure::kSeconds, &Recorded::waits, &Recorded::Waits::average_seconds);
  section.tables = {std::move(table)};
  Plot plot{.key = "esm_tokens_over_time",
            .title = "Throughput in tokens",
            .y_label = "ESM-2 tokens a second"};
  for (const RunFacts& run : runs) {
    plot.lines.push_back({run.name, throughput_of(run)});
  }
  section.plots = {std::move(plot)};
  return section;
}

Table result_table(const Runs& runs) {
  Table table = run_columns("results", "Results", runs);
  add_ratio_columns(runs, table);
  const auto add = [&](const char* label, std::uint64_t TableCounts::*member) {
    add_figure(
        label, Measure::kCount, runs,
        [member](const RunFacts& facts) { return facts.scores.counts.*member; }, table);
  };
  add("Sequences", &TableCounts::sequences);
  add("Virus", &TableCounts::virus_sequences);
  add("Ambiguous", &TableCounts::ambiguous_sequences);
  add("Unscored", &TableCounts::unscored_sequences);
  add("Chunks scored", &TableCounts::chunks_scored);
  add("Frames scored", &TableCounts::frames);
  add("Frames that failed", &TableCounts::failed_frames);
  return table;
}

Table difference_table(const Runs& runs, const Differences& differences) {
  Table table{.key = "differences",
              .caption = "Sequences by how much their virus scores differ from the first run's"};
  table.columns = {{"run", "Run compared with the first"},
                   {"compared", "Compared", Measure::kCount},
                   {"other_calls", "Different call", Measure::kCount},
                   {"scored_once", "Scored in one run only", Measure::kCount},
                   {"equal", "Equal", Measure::kCount}};
  for (const double bound : ScoreDifferences::kBounds) {
    table.columns.push_back(
        {fmt::format("up_to_{}", bound), fmt::format("Up to {}", bound), Measure::kCount});
  }
  table.columns.push_back({"beyond", "More", Measure::kCount});
  table.columns.push_back({"largest", "Largest"});
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const ScoreDifferences& found = differences[k - 1];
    std::vector<Value> row{runs[k].name, found.compared, found.other_calls, found.scored_once,
                           found.equal};
    for (const std::uint64_t count : found.by_bound) row.emplace_back(count);
    row.emplace_back(fmt::format("{:.2g}", found.largest));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot score_lines(const Runs& runs) {
  Plot plot{.key = "frames_by_score",
            .title = "Virus score of the frames",
            .kind = PlotKind::kOverNumber,
            .x_label = "virus score",
            .y_label = "share of the frames",
            .unit = Measure::kShare};
  const double bins = static_cast<double>(ScoreFacts::kScoreBins);
  for (const RunFacts& run : runs) {
    PlotLine line{run.name, {}};
    const double all = std::max(1.0, static_cast<double>(run.scores.counts.frames));
    for (std::size_t k = 0; k < ScoreFacts::kScoreBins; ++k) {
      line.points.push_back({(static_cast<double>(k) + 0.5) / bins,
                             static_cast<double>(run.scores.frames_by_score[k]) / all});
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

Section result_section(const Runs& runs, const Differences& differences) {
  Section section{.key = "scores", .title = "Scores and calls"};
  for (std::size_t k = 0; k < differences.size(); ++k) {
    if (!differences[k].parted) continue;
    section.note +=
        fmt::format("In {}, the sequences are not those of the first run from sequence {} on; ",
                    runs[k + 1].name, grouped(*differences[k].parted));
  }
  if (!section.note.empty()) section.note += "only earlier sequences were compared.";
  section.plots = {score_lines(runs)};
  section.tables = {result_table(runs), difference_table(runs, differences)};
  return section;
}

// Returns a section with one row per verdict, in the order of first occurrence.
Section verdicts_of(const Runs& runs) {
  Section section{.key = "verdicts", .title = "Verdicts"};
  Table table = run_columns("verdicts", "Verdicts of each run", runs, Measure::kStatus);
  std::map<std::string, std::size_t> rows;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const RunTelemetry::Verdict& verdict : runs[run].telemetry.verdicts) {
      // An id may have several verdicts, which differ in their names.
      const std::string what =
          fmt::format("{} {}", verdict.id.value_or(""), verdict.name.value_or(""));
      const auto [at, is_new] = rows.emplace(what, table.rows.size());
      if (is_new) {
        table.rows.emplace_back(runs.size() + 1);
        table.rows.back().front() = what;
      }
      table.rows[at->second][run + 1] = measured(verdict.status);
    }
  }
  if (table.rows.empty()) {
    section.note = "No verdicts: none of the runs has a telemetry summary.";
  } else {
    section.tables = {std::move(table)};
  }
  return section;
}

using Settings = std::map<std::string, std::string>;

Settings settings_of(const RunFacts& facts) {
  Settings settings;
  for (const auto& [name, value] : facts.fingerprint) {
    settings[shown_text(name)] = shown_text(value);
  }
  // Add settings that telemetry has and the journal's fingerprint does not have.
  const RunTelemetry::Settings& recorded = facts.telemetry.settings;
  const auto add = [&settings](const char* name, const RunTelemetry::Count& count) {
    if (count) settings[name] = fmt::format("{}", *count);
  };
  add("cpu_workers", recorded.cpu_workers);
  add("threads", recorded.threads);
  add("token_budget", recorded.token_budget);
  add("prefetch", recorded.prefetch);
  if (recorded.packing) settings["packing"] = *recorded.packing ? "yes" : "no";
  return settings;
}

Section setting_section(const Runs& runs) {
  Section section{.key = "settings", .title = "Settings"};
  Table table = run_columns("settings", "Settings; those that differ come first", runs);
  table.columns.push_back({"state", "State", Measure::kStatus});
  std::vector<Settings> settings;
  std::set<std::string> names;
  for (const RunFacts& run : runs) {
    settings.push_back(settings_of(run));
    for (const auto& [name, value] : settings.back()) names.insert(name);
  }
  for (const std::string& name : names) {
    std::vector<Value> row{name};
    for (const Settings& own : settings) {
      const auto found = own.find(name);
      row.push_back(found == own.end() ? Value{} : Value{found->second});
    }
    const bool same = std::all_of(row.begin() + 1, row.end(),
                                  [&row](const Value& value) { return value == row[1]; });
    row.emplace_back(same ? "same" : "differs");
    table.rows.push_back(std::move(row));
  }
  std::stable_partition(table.rows.begin(), table.rows.end(), [](const std::vector<Value>& row) {
    return row.back() == Value{"differs"};
  });
  section.tables = {std::move(table)};
  return section;
}

}  // namespace

Page compared_runs_page(const Runs& runs, const Differences& differences) {
  Page page;
  page.title = fmt::format("{} runs compared", runs.size());
  page.subtitle =
      fmt::format("virnucpro {}; the first run is {}", program_version(), runs.front().name);
  for (const RunFacts& run : runs) {
    for (const std::string& warning : run.warnings) {
      page.warnings.push_back(fmt::format("{}: {}", run.name, warning));
    }
  }
  page.sections = {verdicts_of(runs), speed_section(runs), result_section(runs, differences),
                   setting_section(runs)};
  return page;
}

}  // namespace virnucpro
