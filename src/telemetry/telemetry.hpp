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
  kFull,     // also telemetry_<time>.jsonl, a line per batch, and at the end telemetry_<time>.h5
};

struct TelemetrySettings {
  TelemetryLevel level = TelemetryLevel::kFull;
  std::chrono::milliseconds interval{500};  // between the monitor's samples
  Thresholds thresholds{};
  ProgramFacts program{};
};

// Measures a run and writes the measurements to the run's directory. A failure never ends or delays
// the run: files that cannot be written are left out, and the first failure is logged as a warning.
class Telemetry {
 public:
  // Make this object before predict(), on the same thread. `settings` and `counters` must outlive
  // this object.
  Telemetry(TelemetrySettings telemetry, const PredictSettings& settings, RunCounters& counters);

  PredictEvents events();
  // Writes the telemetry of a run that ended with an error. Call it after predict().
  void end(ErrorKind error);
  // Returns the verdicts on a run that wrote its tables; empty if nothing is measured. With
  // --strict, a missed verdict fails the run, after all files are written.
  const std::vector<Verdict>& judged() const { return judged_; }
  // Returns the least busy GPU's utilization while embedding, in percent; empty during the run.
  std::optional<double> gpu_percent() const { return gpu_percent_; }
  // Returns each GPU's last measured utilization, in percent. Any thread may call this function.
  std::vector<std::optional<double>> utilization() const;

 private:
  void start(const RunStart& start);
  void enter(Phase phase);
  void record(const BatchMetrics& batch);
  std::optional<double> utilization_of(std::size_t worker) const;
  void replace_monitor(std::unique_ptr<Monitor> monitor);
  void finish(std::string_view status, const RunSummary* summary);
  void write_hdf5() const;
  void write_summary(const RunTelemetry& telemetry) const;
  // Calls `write`. If that fails, warns and returns false.
  bool try_to(const std::function<void()>& write);
  void warn_once(const std::string& what);

  const TelemetrySettings telemetry_;
  const PredictSettings& settings_;
  RunCounters& counters_;
  const SystemTime started_ = std::chrono::system_clock::now();
  RunStart start_;
  double ready_seconds_ = 0;
  double journal_seconds_ = 0;  // the journal's total at the previous batch
  Phase phase_ = Phase::kStart;
  std::optional<LineFile> batches_;
  std::vector<Json> first_batches_;   // the first batches' figures, under v2's names
  mutable std::mutex monitor_mutex_;  // guards monitor_, which only the run's thread sets
  std::unique_ptr<Monitor> monitor_;
  std::vector<Verdict> judged_;
  std::optional<double> gpu_percent_;
  bool warned_ = false;
};

}  // namespace virnucpro
