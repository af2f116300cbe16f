#include "telemetry/telemetry.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "journal/run_files.hpp"
#include "run/start_models.hpp"
#include "telemetry/batch_line.hpp"
#include "telemetry/batches_hdf5.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostBatches = 1000;  // in the JSON file; reports read the whole file

MonitorSettings monitor_settings(const TelemetrySettings& telemetry, const ComputeSettings& compute,
                                 const std::vector<EngineFacts>& workers, FilePlace csv) {
  MonitorSettings settings{.interval = telemetry.interval, .csv = std::move(csv)};
  for (std::size_t i = 0; i < compute.gpus.size(); ++i) {
    const GpuId& gpu = compute.gpus[i];
    settings.devices.push_back({.id = worker_name(compute, i), .uuid = gpu.uuid, .pci = gpu.pci});
    if (i < workers.size()) settings.devices.back().memory = workers[i].memory;
  }
  return settings;
}

}  // namespace

Telemetry::Telemetry(TelemetrySettings telemetry, const PredictSettings& settings,
                     RunCounters& counters)
    : telemetry_(std::move(telemetry)), settings_(settings), counters_(counters) {}

PredictEvents Telemetry::events() {
  if (telemetry_.level == TelemetryLevel::kOff) return {};
  counters_.pipeline.listen([this](const BatchMetrics& batch) { record(batch); });
  return {.on_start = [this](const RunStart& run) { start(run); },
          .on_phase = [this](Phase phase) { enter(phase); },
          .on_tables = [this](const Journal&,
                              const RunSummary& summary) { finish("finished", &summary); }};
}

// Begins to measure. A run that starts over calls start() again, after it removed its old files.
void Telemetry::start(const RunStart& start) {
  start_ = start;
  ready_seconds_ = counters_.pipeline.seconds();
  phase_ = Phase::kStart;
  replace_monitor(nullptr);  // close the old log first: the new monitor writes the same file
  const std::string time = file_time(started_);
  FilePlace metrics{std::filesystem::path()};  // an empty path: no log
  try_to([&] { metrics = start.directory->place(run_files::kMonitorLog, time); });
  replace_monitor(std::make_unique<Monitor>(
      monitor_settings(telemetry_, settings_.compute, start.workers, metrics)));
  if (telemetry_.level == TelemetryLevel::kFull) {
    first_batches_.clear();
    try_to([&] { batches_.emplace(start.directory->place(run_files::kBatchLines, time)); });
  }
}

void Telemetry::replace_monitor(std::unique_ptr<Monitor> monitor) {
  const std::lock_guard lock(monitor_mutex_);
  monitor_ = std::move(monitor);
}

std::vector<std::optional<double>> Telemetry::utilization() const {
  const std::lock_guard lock(monitor_mutex_);
  return monitor_ ? monitor_->utilization() : std::vector<std::optional<double>>{};
}

void Telemetry::enter(Phase phase) {
  if (std::exchange(phase_, phase) != phase) monitor_->enter(phase);
}

void Telemetry::record(const BatchMetrics& batch) {
  enter(Phase::kEmbedding);
  monitor_->record(batch);
  if (!batches_) return;
  const std::optional<double> gpu_util = utilization_of(batch.worker);
  if (first_batches_.size() < kMostBatches) {
    first_batches_.push_back({{"batch_idx", batch.batch},
                              {"timestamp", seconds_since_1970(started_) + batch.time},
                              {"tokens_per_sec", batch.tokens_per_sec()},
                              {"gpu_util", gpu_util},
                              {"packing_efficiency", batch.packing()}});
  }
  const double journal = counters_.host.journal.seconds();
  const double since = journal - std::exchange(journal_seconds_, journal);
  const std::string line = write_batch_line(batch, since, gpu_util);
  if (const int error = batches_->append(line); error != 0) {
    warn_once(fmt::format("{}: this file cannot be written, so it lacks batches: {}",
                          batches_->path().string(), errno_text(error)));
  }
}

std::optional<double> Telemetry::utilization_of(std::size_t worker) const {
  const std::vector<std::optional<double>> percent = monitor_->utilization();
  return worker < percent.size() ? percent[worker] : std::nullopt;
}

void Telemetry::end(ErrorKind error) {
  if (!monitor_) return;
  finish(error_info(error).is(ErrorClass::kStop) ? "interrupted" : "failed", nullptr);
}

void Telemetry::finish(std::string_view status, const RunSummary* summary) {
  monitor_->end();  // completes the monitor's log
  const Measured run{.program = telemetry_.program,
                     .settings = settings_,
                     .counters = counters_,
                     .start = start_,
                     .started = started_,
                     .ready_seconds = ready_seconds_,
                     .status = std::string(status),
                     .summary = summary,
                     .pipeline = counters_.pipeline.summary(),
                     .monitor = monitor_->summary()};
  replace_monitor(nullptr);
  const bool is_written = try_to([this] { write_hdf5(); });
  RunTelemetry telemetry = telemetry_of(run);
  std::vector<Verdict> verdicts =
      judge(telemetry, run.pipeline.computing_seconds(), telemetry_.thresholds);
  telemetry.verdicts = verdicts_section(verdicts);
  if (is_written) try_to([&] { write_summary(telemetry); });
  if (summary == nullptr) return;
  judged_ = std::move(verdicts);
  gpu_percent_ = least_utilization(telemetry);
}

void Telemetry::write_hdf5() const {
  if (!batches_ || !std::filesystem::exists(batches_->path())) return;
  write_batches_hdf5(batches_->path(),
                     start_.directory->place(run_files::kBatchNumbers, file_time(started_)));
}

void Telemetry::write_summary(const RunTelemetry& telemetry) const {
  AtomicFile file(start_.directory->place(run_files::kTelemetry, file_time(started_)));
  file.write(telemetry_json(telemetry, first_batches_));
  file.sync();
  file.commit();
}

bool Telemetry::try_to(const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const std::exception& error) {
    warn_once(error.what());
    return false;
  }
}

void Telemetry::warn_once(const std::string& what) {
  if (!std::exchange(warned_, true)) log_warning("{}", what);
}

}  // namespace virnucpro
