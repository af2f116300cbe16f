#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.hpp"
#include "base/json_values.hpp"
#include "observe/statistic.hpp"
#include "telemetry/verdicts.hpp"
#include "validate/measure/child_program.hpp"

namespace virnucpro {

// One run of predict to be measured.
struct TrialCall {
  std::string name;  // of its directory and its log; a number is added to it
  std::vector<std::filesystem::path> inputs;
  std::vector<std::string> arguments{};  // of the command line, beside those of all trials
  std::vector<std::pair<std::string, std::string>> variables{};
};

// What a run that ended well measured of itself, and what was seen of it from outside.
struct Trial {
  ChildEnd end{};
  std::filesystem::path directory{};  // its output
  JsonValues telemetry{};             // telemetry_<time>.json

  // Of the telemetry; 0 where it is not told.
  double figure(const std::string& path) const { return telemetry.number(path).value_or(0); }
  double sequences() const { return figure("workload/sequences"); }
  double esm_tokens_per_second() const { return figure("throughput/esm_tokens_per_second"); }
  double sequences_per_second() const { return figure("throughput/sequences_per_second"); }
  double ready_seconds() const { return figure("run/models_ready_seconds"); }
  // Between the first batch's beginning and the last's results.
  double computing_seconds() const;
  // In percent, of the GPU that was the least busy while embedding.
  std::optional<double> gpu_percent() const;
  // What it is judged by, of `gpus` GPUs.
  RunMeasurements measurements(std::size_t gpus) const;
  // How much less the worker with the least work was at it than that with the most, as a share of
  // the latter's time: 1 where one had nothing to do.
  double imbalance() const;
  std::string slowest_worker() const;

 private:
  std::vector<double> busy_seconds() const;  // of each worker
};

// Runs predict as a process of its own, as a user would: what a run costs is all counted, and no
// run sees what another one left in memory.
class PredictTrials {
 public:
  struct Settings {
    std::filesystem::path program;
    std::filesystem::path folder;          // where runs and their logs go
    std::vector<std::string> arguments{};  // of every command line: models, chunk size, precision
    ChildRunner run = run_child;
  };

  PredictTrials(Settings settings, const Cancel& cancel)
      : settings_(std::move(settings)), cancel_(cancel) {}

  // Errors: kBenchmark, with the last lines of its log, for a run that does not end well, or
  // kOutOfMemory where it says so; Cancel's.
  Trial run(const TrialCall& call);
  // The same by another program, which takes the same command line.
  Trial run(const TrialCall& call, const std::filesystem::path& program);

  // A command of this program that is not predict. Errors: as above.
  void run_command(const std::string& name, std::vector<std::string> arguments);
  // Any program. Errors: as above.
  ChildEnd run_well(const ChildCall& call) const;
  // Of all runs so far: the version of the GPUs' driver, and their SM clock in MHz while embedding.
  const std::string& driver() const { return driver_; }
  const Statistic& clock() const { return clock_; }

  // Where the next run lies: the folder of a name that no other has.
  std::filesystem::path place(const std::string& name);

 private:
  void note_devices(const Trial& trial);

  Settings settings_;
  const Cancel& cancel_;
  std::size_t runs_ = 0;
  std::string driver_;
  Statistic clock_;
};

}  // namespace virnucpro
