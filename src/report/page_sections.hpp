#pragma once

#include <string>

#include "report/page.hpp"
#include "report/run_facts.hpp"

namespace virnucpro {

// The sections of a run's page; single_run_page() puts them in order.

// What telemetry says: a number, words, whichever of them it is; nothing where it is not there.
Value measured(const JsonValues& values, const std::string& path);
Value words(const JsonValues& values, const std::string& path);
Value told(const JsonValues& values, const std::string& path);

// A row for each object of an array; a column's key is the member it shows.
void add_rows(const JsonValues& summary, const std::string& array, Table& table);

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
