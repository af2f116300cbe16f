#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "observe/counters.hpp"
#include "observe/monitor.hpp"
#include "observe/monitor_rows.hpp"
#include "run/predict.hpp"
#include "telemetry/bottlenecks.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {

// What ran, and on what.
struct ProgramFacts {
  std::vector<std::string> command;  // as it was called
  std::string build;                 // "RelWithDebInfo, gcc 12.2.0"
  std::string commit;                // "unknown" of sources without their history
  std::string processor;             // as utils list-devices has it
};

// A run, measured so far.
struct Measured {
  const ProgramFacts& program;
  const PredictSettings& settings;
  const RunCounters& counters;
  const RunStart& start;
  SystemTime started;
  double ready_seconds = 0;             // until the models were loaded
  std::string status;                   // "finished", "interrupted" or "failed"
  const RunSummary* summary = nullptr;  // of a run that has its tables
  PipelineSummary pipeline{};
  MonitorSummary monitor{};
  std::string monitor_failure{};  // why its file is not there; else empty
};

// "cuda:0"; "cpu" for every worker there.
std::string worker_name(const ComputeSettings& compute, std::size_t index);

RunMeasurements measurements_of(const Measured& run);

// telemetry_<time>.json: docs/reference/telemetry.schema.json says what is in it.
std::string telemetry_json(const Measured& run, const std::vector<Verdict>& verdicts);

}  // namespace virnucpro
