#pragma once

#include <filesystem>
#include <vector>

#include "base/cancel.hpp"
#include "measure/suites/benchmark.hpp"
#include "measure/suites/regression.hpp"
#include "report/page.hpp"

namespace virnucpro {

struct AgainstResult {
  Section section{};
  std::vector<MetricChange> changes{};  // this program's changes against the other build
};

// Compares whole runs of this program and of another build over the same sequences. The programs
// take turns, so that disturbances of the machine affect both. Errors: kBenchmark; those of Cancel.
AgainstResult run_against(const BenchmarkSettings& settings, const std::filesystem::path& program,
                          const Cancel& cancel);

}  // namespace virnucpro
