#include "validate/measure/predict_trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/processors.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// The last summary, as an earlier benchmark may have run there: names sort by time.
fs::path summary_file(const fs::path& directory) {
  const std::vector<fs::path> files = run_files::kTelemetry.found_in(directory);
  if (!files.empty()) return files.back();
  throw Error(ErrorKind::kBenchmark, Place{.file = directory.string()},
              "the run left no telemetry_<time>.json");
}

// A device's average while embedding, which is phase 1 (start, embedding, tables).
std::string device_figure(std::size_t device, const char* name) {
  return fmt::format("devices/{}/phases/1/{}/average", device, name);
}

}  // namespace

double Trial::computing_seconds() const {
  const double rate = esm_tokens_per_second();
  return rate > 0 ? figure("workload/esm_tokens") / rate : 0;
}

std::optional<double> Trial::gpu_percent() const {
  std::optional<double> least;
  for (std::size_t k = 0; k < telemetry.elements("devices"); ++k) {
    const auto percent = telemetry.number(device_figure(k, "utilization_percent"));
    if (percent) least = std::min(least.value_or(*percent), *percent);
  }
  return least;
}

RunMeasurements Trial::measurements(std::size_t gpus) const {
  std::uint64_t samples = 0;
  for (std::size_t phase = 0; phase < telemetry.elements("host/phases"); ++phase) {
    samples += telemetry.count(fmt::format("host/phases/{}/rss_bytes/samples", phase)).value_or(0);
  }
  return {.computing_seconds = computing_seconds(),
          .sequences = telemetry.count("workload/sequences_scored").value_or(0),
          .utilization = gpu_percent(),
          .gpus = gpus,
          .packing = 100 * figure("packing/efficiency"),
          .batches = telemetry.count("workload/batches").value_or(0),
          .starved_batches = telemetry.count("waits/queue/starved").value_or(0),
          .spare_processors = telemetry.count("settings/threads").value_or(0) < usable_processors(),
          .samples = samples,
          .monitor_failure = run_files::kMonitorLog.found_in(directory).empty()
                                 ? "logs/ has no gpu_metrics_<time>.log"
                                 : ""};
}

std::vector<double> Trial::busy_seconds() const {
  std::vector<double> seconds;
  for (std::size_t k = 0; k < telemetry.elements("workers"); ++k) {
    seconds.push_back(figure(fmt::format("workers/{}/busy_seconds", k)));
  }
  return seconds;
}

double Trial::imbalance() const {
  const std::vector<double> busy = busy_seconds();
  if (busy.empty()) return 0;
  const auto [least, most] = std::ranges::minmax(busy);
  return most > 0 ? (most - least) / most : 0;
}

std::string Trial::slowest_worker() const {
  const std::vector<double> busy = busy_seconds();
  if (busy.empty()) return {};
  const auto k = std::ranges::max_element(busy) - busy.begin();
  return fmt::format("number {} ({})", k + 1,
                     telemetry.text(fmt::format("workers/{}/name", k)).value_or("cpu"));
}

Trial PredictTrials::run(const TrialCall& call) {
  return run(call, settings_.program);
}

Trial PredictTrials::run(const TrialCall& call, const fs::path& program) {
  Trial trial{.directory = place(call.name)};
  std::vector<std::string> arguments{"predict"};
  for (const fs::path& input : call.inputs) arguments.push_back(input.string());
  arguments.insert(arguments.end(), settings_.arguments.begin(), settings_.arguments.end());
  arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
  arguments.insert(arguments.end(), {"-o", trial.directory.string(), "--force", "--no-progress"});
  trial.end = run_well({.program = program,
                        .arguments = std::move(arguments),
                        .log = trial.directory.string() + ".log",
                        .variables = call.variables});
  trial.telemetry = JsonValues::read(summary_file(trial.directory));
  note_devices(trial);
  return trial;
}

void PredictTrials::note_devices(const Trial& trial) {
  driver_ = trial.telemetry.text("machine/driver").value_or(driver_);
  for (std::size_t k = 0; k < trial.telemetry.elements("devices"); ++k) {
    const auto clock = trial.telemetry.number(device_figure(k, "sm_clock_mhz"));
    if (clock) clock_.add(*clock);
  }
}

void PredictTrials::run_command(const std::string& name, std::vector<std::string> arguments) {
  run_well({.program = settings_.program,
            .arguments = std::move(arguments),
            .log = place(name).string() + ".log"});
}

ChildEnd PredictTrials::run_well(const ChildCall& call) const {
  ChildEnd end = settings_.run(call, cancel_);
  if (end.exit_code == 0) return end;
  const bool no_memory = end.exit_code == error_info(ErrorKind::kOutOfMemory).exit_code;
  throw Error(no_memory ? ErrorKind::kOutOfMemory : ErrorKind::kBenchmark,
              fmt::format("{} ended with exit code {}: {}; the command line was {} {}",
                          call.program.filename().string(), end.exit_code, last_lines(call.log),
                          call.program.string(), fmt::join(call.arguments, " ")));
}

fs::path PredictTrials::place(const std::string& name) {
  return settings_.folder / fmt::format("{:03}_{}", ++runs_, name);
}

}  // namespace virnucpro
