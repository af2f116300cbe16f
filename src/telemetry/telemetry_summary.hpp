#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "observe/counters.hpp"
#include "observe/monitor.hpp"
#include "observe/monitor_rows.hpp"
#include "run/predict.hpp"
#include "telemetry/run_telemetry.hpp"
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
};

// "cuda:0"; "cpu" for every worker there.
std::string worker_name(const ComputeSettings& compute, std::size_t index);

// All but the verdicts, which are judged by it.
RunTelemetry telemetry_of(const Measured& run);
std::vector<RunTelemetry::Verdict> verdicts_section(const std::vector<Verdict>& verdicts);

// What a run is judged by, but the time that it computed for and what its monitor did.
RunMeasurements measurements_of(const RunTelemetry& telemetry);

}  // namespace virnucpro
