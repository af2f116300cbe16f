#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.hpp"
#include "measure/timing/child_program.hpp"
#include "observe/statistic.hpp"
#include "telemetry/run_telemetry.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {

// Describes a run of predict to be measured.
struct TrialCall {
  std::string name;  // name of the run's directory and log; a number is added
  std::vector<std::filesystem::path> inputs;
  std::vector<std::string> arguments{};  // added to the arguments that all trials have
  std::vector<std::pair<std::string, std::string>> variables{};
};

template <typename Number>
double or_zero(const std::optional<Number>& number) {
  return static_cast<double>(number.value_or(0));
}

// A successful run: its own telemetry, and measurements from outside.
struct Trial {
  ChildEnd end{};
  std::filesystem::path directory{};  // its output directory
  RunTelemetry telemetry{};

  // These return figures of the telemetry, or 0 for a missing figure.
  double sequences() const { return or_zero(telemetry.workload.sequences); }
  double scored_chunks() const { return or_zero(telemetry.workload.chunks_with_frames); }
  // Leaves out the tokens of close calls that were computed again, because they are no progress.
  double esm_tokens_per_second() const;
  double sequences_per_second() const { return or_zero(telemetry.throughput.sequences_per_second); }
  double ready_seconds() const { return or_zero(telemetry.run.models_ready_seconds); }
  // Returns the time from the start of the first batch to the results of the last batch.
  double computing_seconds() const;
  // Returns the rest of the run's time, in which it loads models and writes tables.
  double loading_seconds() const { return end.seconds - computing_seconds(); }
  void require_computed() const;  // Errors: kBenchmark, if nothing was computed.
  // Returns the use of the least busy GPU while embedding, in percent.
  std::optional<double> gpu_percent() const { return least_utilization(telemetry); }
  // Judges a run with `gpus` GPUs. Its rate leaves out the tokens that were computed again.
  std::vector<Verdict> judged(std::size_t gpus, const Thresholds& thresholds) const;
  // Returns the difference between the computing times of the busiest and the least busy worker, as
  // a share of the busiest worker's time. 1 means that a worker computed nothing.
  double imbalance() const;
  std::string slowest_worker() const;

 private:
  std::vector<double> busy_seconds() const;  // one per worker
};

// Runs predict as a separate process: all costs of a run count, and no earlier run affects memory.
class PredictTrials {
 public:
  struct Settings {
    std::filesystem::path program;
    std::filesystem::path folder;          // receives the runs' output directories and logs
    std::vector<std::string> arguments{};  // for every run: models, chunk size, precision
    ChildRunner run = run_child;
  };

  PredictTrials(Settings settings, const Cancel& cancel)
      : settings_(std::move(settings)), cancel_(cancel) {}

  // Runs predict. Errors: kBenchmark, with the last lines of the run's log, if the run fails;
  // kOutOfMemory if the run fails with this error; those of Cancel.
  Trial run(const TrialCall& call);
  // Runs another program with predict's command line. Errors: those of the run() above.
  Trial run(const TrialCall& call, const std::filesystem::path& program);

  // Runs another command of this program. Errors: those of run().
  void run_command(const std::string& name, std::vector<std::string> arguments);
  // Runs any program. Errors: those of run().
  ChildEnd run_well(const ChildCall& call) const;
  // These return the GPUs' driver version, and their SM clock (MHz) while embedding, over all runs.
  const std::string& driver() const { return driver_; }
  const Statistic& clock() const { return clock_; }

  // Returns the next run's folder, with a name not used before.
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
