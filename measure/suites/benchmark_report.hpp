#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/suites/benchmark.hpp"
#include "measure/suites/regression.hpp"
#include "report/provenance.hpp"

namespace virnucpro {

// Facts for a benchmark's report besides the suites' results.
struct BenchmarkFacts {
  Provenance provenance{};
  BenchmarkIdentity identity{};
  bool synthetic = false;              // some weights are seeded random numbers
  std::vector<std::string> samples{};  // one line per file of real data
};

// The outcome of a benchmark, besides the suites' results.
struct BenchmarkEnd {
  std::vector<MetricChange> changes{};  // only judged changes
  std::string against_failure{};        // why the runs of another build failed; empty: no failure
  int exit_code = 0;
};

// Returns the results as results files and histories store them.
KeptResults kept_results(const BenchmarkFacts& facts, const BenchmarkResults& results);

// Returns the verdicts of all suites. A failed suite has a skipped verdict that says so.
std::vector<Verdict> all_verdicts(const BenchmarkResults& results);

// Returns "requirements: judged 3 (passed 2), skipped 4: PERF-01, PERF-03".
std::string judged_text(const std::vector<Verdict>& verdicts);

// Throws kNotJudged if an id in `required` was not judged. With `strict`, also throws if all
// verdicts of a suite were skipped. The message says why one of them was skipped.
void require_judged(const BenchmarkResults& results, std::string_view required, bool strict);

// Returns the report for people; the sections `more` follow those of the suites.
Page benchmark_page(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                    const BenchmarkResults& results, std::vector<Section> more);

// Returns the JSON of docs/use/validation.md: first v2's sections (metadata to summary) with v2's
// keys, then this program's.
std::string benchmark_json(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                           const BenchmarkResults& results, const BenchmarkEnd& end);

}  // namespace virnucpro
