#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "observe/counters.hpp"
#include "observe/monitor.hpp"
#include "run/predict.hpp"
#include "telemetry/batch_facts.hpp"
#include "telemetry/device_facts.hpp"
#include "telemetry/run_telemetry.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {

inline constexpr const char* kTelemetrySchema = "virnucpro-telemetry-1";

// The program and the machine's processor.
struct ProgramFacts {
  std::vector<std::string> command;  // the command line as it was called
  std::string build;                 // "RelWithDebInfo, gcc 12.2.0"
  std::string commit;                // "unknown" if built without the git history
  std::string processor;             // as utils list-devices shows it
};

// The measurements of a run so far.
struct Measured {
  const ProgramFacts& program;
  const PredictSettings& settings;
  const RunCounters& counters;
  const RunStart& start;
  SystemTime started;
  double ready_seconds = 0;             // from the run's start until the models were loaded
  std::string status{};                 // "finished", "interrupted" or "failed"
  const RunSummary* summary = nullptr;  // null unless the run has its tables
  PipelineSummary pipeline{};
  MonitorSummary monitor{};
};

// Returns all telemetry except the verdicts, which are computed from this telemetry.
RunTelemetry telemetry_of(const Measured& run);

// Returns the telemetry of a run that was killed before it wrote its summary. It is computed from
// the batch lines and the monitor's log, with the same sums as telemetry_of().
RunTelemetry telemetry_of_killed_run(const BatchFacts& batches, const MetricFacts& metrics);

std::vector<RunTelemetry::Input> inputs_section(const std::vector<InputEntry>& inputs);
std::vector<RunTelemetry::Verdict> verdicts_section(const std::vector<Verdict>& verdicts);

}  // namespace virnucpro
