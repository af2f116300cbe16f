#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page.hpp"
#include "report/run_facts.hpp"

namespace virnucpro {

// The most contig maps in a run's report.
inline constexpr std::size_t kMostMaps = 20;

// Returns a telemetry value for the page. Counts become double, like all numbers of telemetry.
inline Value measured(const std::optional<std::string>& words) {
  return words ? Value{*words} : Value{};
}
template <typename Number>
Value measured(const std::optional<Number>& number) {
  return number ? Value{static_cast<double>(*number)} : Value{};
}

// Adds a row for each record. A column shows the field whose name is the column's key.
template <typename Record>
void add_rows(const std::vector<Record>& records, Table& table) {
  for (const Record& record : records) {
    std::vector<Value>& row = table.rows.emplace_back(table.columns.size());
    for_each_field(record, [&](std::string_view name, const auto& member) {
      const auto column = std::ranges::find(table.columns, name, &Column::key);
      if (column == table.columns.end()) return;
      row[static_cast<std::size_t>(column - table.columns.begin())] = measured(member);
    });
  }
}

// Returns the ESM-2 tokens per second over the run's time; empty if not measured.
std::vector<PlotPoint> throughput_of(const RunFacts& facts);

// The functions below return the sections of a run's page; single_run_page() puts them in order.

// The content of these sections comes from the run's telemetry.
Section verdict_section(const RunFacts& facts);
Section throughput_section(const RunFacts& facts);
Section device_section(const RunFacts& facts);
Section packing_section(const RunFacts& facts);
Section stage_section(const RunFacts& facts);
// Returns a section with the shards of a merged run.
Section shard_section(const RunFacts& facts);
// Returns a section on the calls that were computed again. If there was a shadow check, the section
// has the check's estimate for the other calls.
Section precision_section(const RunFacts& facts);

// The content of these sections comes from the run's journal.
Section input_section(const RunFacts& facts);
Section score_section(const RunFacts& facts);
Section hit_section(const RunFacts& facts);
// Returns maps of the first hits that have several chunks; empty if no hit has several chunks.
std::optional<Section> contig_section(const RunFacts& facts);
Section unscored_section(const RunFacts& facts);

Section reproduce_section(const RunFacts& facts);

}  // namespace virnucpro
