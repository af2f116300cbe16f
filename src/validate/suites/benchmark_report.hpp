#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validate/measure/provenance.hpp"
#include "validate/suites/benchmark.hpp"
#include "validate/suites/regression.hpp"

namespace virnucpro {

// Facts for a benchmark's report besides the suites' results.
struct BenchmarkFacts {
  Provenance provenance{};
  BenchmarkIdentity identity{};
  bool synthetic = false;              // some weights are seeded random numbers
  std::vector<std::string> samples{};  // one line per file of real data
};

// The end of a benchmark, besides the suites' results.
struct BenchmarkEnd {
  std::vector<MetricChange> changes{};  // only those that are judged
  std::string against_failure{};        // why runs of another build failed; empty: none
  int exit_code = 0;
};

// The results in the form of a results file and a history.
KeptResults kept_results(const BenchmarkFacts& facts, const BenchmarkResults& results);

// Every verdict of every suite; a suite that failed has a skipped one that says so.
std::vector<Verdict> all_verdicts(const BenchmarkResults& results);

// "judged 3 (passed 2), skipped 4: PERF-01, PERF-03".
std::string judged_text(const std::vector<Verdict>& verdicts);

// Requires that `required`, a list of ids, was judged, and if strict a row of every suite. Errors:
// kNotJudged, with the reason of the skipped row.
void require_judged(const BenchmarkResults& results, std::string_view required, bool strict);

// `more`: sections that follow those of the suites.
Page benchmark_page(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                    const BenchmarkResults& results, std::vector<Section> more);

// The JSON of docs/use/validation.md: metadata, performance, validation, status and summary with
// the keys of v2's files, followed by this program's own.
std::string benchmark_json(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                           const BenchmarkResults& results, const BenchmarkEnd& end);

}  // namespace virnucpro
