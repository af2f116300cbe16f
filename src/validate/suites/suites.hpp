#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_values.hpp"
#include "validate/measure/statistics.hpp"
#include "validate/suites/benchmark.hpp"

namespace virnucpro {

// The suites of benchmark, each in a file of its own; docs/use/validation.md says how each
// requirement is measured. What a suite found before an error it leaves in its report. Errors:
// those of trials (kBenchmark), Cancel's.
void run_throughput_suite(SuiteContext& context, SuiteReport& report);
void run_memory_suite(SuiteContext& context, SuiteReport& report);
void run_scaling_suite(SuiteContext& context, SuiteReport& report);
void run_end_to_end_suite(SuiteContext& context, SuiteReport& report);
void run_equivalence_suite(SuiteContext& context, SuiteReport& report);
void run_v1_comparison_suite(SuiteContext& context, SuiteReport& report);
void run_checkpoint_suite(SuiteContext& context, SuiteReport& report);

// What they have in common.

// A verdict without a value, which is no pass.
Verdict skipped_verdict(Verdict verdict, std::string why);

// Of a value that has to reach the bar.
Verdict judged(Verdict verdict, double value, double bar);
// Bytes that profile's JSON tells of memory for all purposes together: "bytes", "peak_bytes".
double profiled_memory(const JsonValues& profile, const char* figure);

}  // namespace virnucpro
