#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "measure/suites/benchmark.hpp"
#include "measure/timing/spread.hpp"

namespace virnucpro {

// The suites of benchmark, each in its own file; docs/use/validation.md says how each requirement
// is measured. If a suite fails, its report keeps the results so far. Errors: those of trials
// (kBenchmark) and of Cancel.
void run_throughput_suite(SuiteContext& context, SuiteReport& report);
void run_memory_suite(SuiteContext& context, SuiteReport& report);
void run_scaling_suite(SuiteContext& context, SuiteReport& report);
void run_end_to_end_suite(SuiteContext& context, SuiteReport& report);
void run_equivalence_suite(SuiteContext& context, SuiteReport& report);
void run_v1_comparison_suite(SuiteContext& context, SuiteReport& report);
void run_checkpoint_suite(SuiteContext& context, SuiteReport& report);
void run_tune_suite(SuiteContext& context, SuiteReport& report);

// The functions below are shared by the suites.

// Returns the verdict as skipped, with the reason `why` and no value. A skipped verdict is no pass.
Verdict skipped_verdict(Verdict verdict, std::string why);

// Adds a remark on a verdict's value; does nothing to a verdict without a value.
void add_remark(const std::string& text, Verdict& verdict);

// Returns the verdict on a ratio that must reach `bar`; a warning if its interval includes `bar`.
Verdict judged_ratio(Verdict verdict, const Estimate& ratio, double bar);

// Runs `profile` for a model on the first device, with a log named `name`. Returns its JSON.
JsonValues profile_model(SuiteContext& context, const std::string& name, const char* model,
                         const std::vector<std::string>& arguments);
// Returns the bytes of memory in the JSON of `profile`, summed over all purposes. `figure` is
// "bytes" for the use at the end, or "peak_bytes".
double profiled_memory(const JsonValues& profile, const char* figure);

}  // namespace virnucpro
