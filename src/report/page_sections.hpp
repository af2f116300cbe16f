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

// The sections of a run's page; single_run_page() puts them in order.

// What was measured, of telemetry. A count is a number as all others are.
inline Value measured(const std::optional<std::string>& words) {
  return words ? Value{*words} : Value{};
}
template <typename Number>
Value measured(const std::optional<Number>& number) {
  return number ? Value{static_cast<double>(*number)} : Value{};
}

// A row for each record; a column's key is the field that it shows.
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

// ESM-2 tokens a second over the run's time; empty when not measured.
std::vector<PlotPoint> throughput_of(const RunFacts& facts);

// Of telemetry: what ran, how fast, and what it waited for.
Section verdict_section(const RunFacts& facts);
Section throughput_section(const RunFacts& facts);
Section device_section(const RunFacts& facts);
Section packing_section(const RunFacts& facts);
Section stage_section(const RunFacts& facts);

// Of the journal: what went in and what came out.
Section input_section(const RunFacts& facts);
Section score_section(const RunFacts& facts);
Section hit_section(const RunFacts& facts);

Section reproduce_section(const RunFacts& facts);

}  // namespace virnucpro
