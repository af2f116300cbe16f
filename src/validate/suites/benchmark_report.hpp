#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "validate/measure/provenance.hpp"
#include "validate/suites/benchmark.hpp"
#include "validate/suites/regression.hpp"

namespace virnucpro {

// What a report of a benchmark says beside its suites' results.
struct BenchmarkFacts {
  Provenance provenance{};
  BenchmarkIdentity identity{};
  bool synthetic = false;              // some weights are seeded random numbers
  std::vector<std::string> samples{};  // real data: what is known of each file
};

// What a benchmark comes to beside its suites' results.
struct BenchmarkEnd {
  std::vector<MetricChange> changes{};  // that are judged
  std::string against_failure{};        // of another build's runs; empty: none
  int exit_code = 0;
};

// As a file of results and a history keep them.
KeptResults kept_results(const BenchmarkFacts& facts, const BenchmarkResults& results);

// Every verdict of every suite; one that was not run to its end has a skipped one that says so.
std::vector<Verdict> all_verdicts(const BenchmarkResults& results);

// `more`: sections after the suites'.
Page benchmark_page(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                    const BenchmarkResults& results, std::vector<Section> more);

// As docs/use/validation.md has it: metadata, performance, validation, status and summary with the
// keys of v2's files, and this program's own below them.
std::string benchmark_json(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                           const BenchmarkResults& results, const BenchmarkEnd& end);

}  // namespace virnucpro
