#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_values.hpp"
#include "validate/measure/statistics.hpp"
#include "validate/suites/benchmark.hpp"

namespace virnucpro {

// The suites of benchmark, each in its own file; docs/use/validation.md says how each requirement
// is measured. If a suite fails, its report keeps what it found before. Errors: those of trials
// (kBenchmark); Cancel's.
void run_throughput_suite(SuiteContext& context, SuiteReport& report);
void run_memory_suite(SuiteContext& context, SuiteReport& report);
void run_scaling_suite(SuiteContext& context, SuiteReport& report);
void run_end_to_end_suite(SuiteContext& context, SuiteReport& report);
void run_equivalence_suite(SuiteContext& context, SuiteReport& report);
void run_v1_comparison_suite(SuiteContext& context, SuiteReport& report);
void run_checkpoint_suite(SuiteContext& context, SuiteReport& report);

// Shared by the suites.

// A verdict without a value; it does not count as passed.
Verdict skipped_verdict(Verdict verdict, std::string why);

// The verdict for a value that should reach the bar.
Verdict judged(Verdict verdict, double value, double bar);
// Of a value that must not be above the bar; `beyond` where it is.
Verdict judged_at_most(Verdict verdict, double value, double bar, VerdictStatus beyond);

// What profile tells of a model on the first device of the runs. `name`: of its log and its JSON.
JsonValues profile_model(SuiteContext& context, const std::string& name, const char* model,
                         const std::vector<std::string>& arguments);
// Bytes that profile's JSON tells of memory for all purposes together: "bytes", "peak_bytes".
double profiled_memory(const JsonValues& profile, const char* figure);

}  // namespace virnucpro
