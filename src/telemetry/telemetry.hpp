#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "observe/counters.hpp"
#include "observe/line_file.hpp"
#include "observe/monitor.hpp"
#include "run/predict.hpp"
#include "telemetry/telemetry_summary.hpp"

namespace virnucpro {

enum class TelemetryLevel : std::uint8_t {
  kOff,
  kSummary,  // telemetry_<time>.json and logs/gpu_metrics_<time>.log
  kFull,     // telemetry_<time>.jsonl too, a line a batch, and at the end telemetry_<time>.h5
};

struct TelemetrySettings {
  TelemetryLevel level = TelemetryLevel::kFull;
  std::chrono::milliseconds interval{1000};  // of the monitor
  Thresholds thresholds{};
  ProgramFacts program{};
};

// Measures a run and leaves in its directory what it measured. It never ends a run: what cannot be
// written is left out, and a warning says so once.
class Telemetry {
 public:
  // What it is given outlives it; before predict() and on the thread that calls that.
  Telemetry(TelemetrySettings telemetry, const PredictSettings& settings, RunCounters& counters);

  PredictEvents events();
  // For a run that ended with an error, once predict() is left.
  void end(ErrorKind error);
  // What a run that has its tables is judged by; empty where nothing is measured.
  const std::vector<Verdict>& judged() const { return judged_; }
  // Percent that the least busy GPU was busy while embedding; known when the run has ended.
  std::optional<double> gpu_percent() const { return gpu_percent_; }
  // The same of each GPU just now, or empty; from any thread.
  std::vector<std::optional<double>> utilization() const;

 private:
  void start(const RunStart& start);
  void enter(Phase phase);
  void record(const BatchMetrics& batch);
  void replace_monitor(std::unique_ptr<Monitor> monitor);
  void finish(std::string_view status, const RunSummary* summary);
  RunMeasurements measure(const Measured& run, const RunTelemetry& telemetry) const;
  void write_hdf5() const;
  void write_summary(const RunTelemetry& telemetry) const;
  // False, and a warning: what was to be written is left out.
  bool try_to(const std::function<void()>& write);
  void warn_once(const std::string& what);

  const TelemetrySettings telemetry_;
  const PredictSettings& settings_;
  RunCounters& counters_;
  const SystemTime started_ = std::chrono::system_clock::now();
  RunStart start_;
  double ready_seconds_ = 0;
  double journal_seconds_ = 0;  // when the batch before was recorded
  Phase phase_ = Phase::kStart;
  std::optional<LineFile> batches_;
  std::filesystem::path metrics_file_;
  mutable std::mutex monitor_mutex_;  // the run's thread alone makes it and takes it away
  std::unique_ptr<Monitor> monitor_;
  std::vector<Verdict> judged_;
  std::optional<double> gpu_percent_;
  bool warned_ = false;
};

}  // namespace virnucpro
