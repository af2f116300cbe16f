#include "measure/timing/predict_trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "journal/run_files.hpp"
#include "telemetry/telemetry_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

fs::path summary_file(const fs::path& directory) {
  const fs::path file = newest_telemetry(directory).summary;
  if (!file.empty()) return file;
  throw Error(ErrorKind::kBenchmark, Place{.file = directory.string()},
              "the run left no telemetry_<time>.json");
}

}  // namespace

double Trial::esm_tokens_per_second() const {
  const double seconds = computing_seconds();
  const double again = or_zero(telemetry.close_calls.esm_tokens);
  return seconds > 0 ? (or_zero(telemetry.workload.esm_tokens) - again) / seconds : 0;
}

double Trial::computing_seconds() const {
  const double rate = or_zero(telemetry.throughput.esm_tokens_per_second);
  return rate > 0 ? or_zero(telemetry.workload.esm_tokens) / rate : 0;
}

void Trial::require_computed() const {
  if (computing_seconds() > 0) return;
  throw Error(ErrorKind::kBenchmark,
              "nothing was computed: no sequence has a frame without a stop codon");
}

std::vector<Verdict> Trial::judged(std::size_t gpus, const Thresholds& thresholds) const {
  RunTelemetry run = telemetry;
  run.throughput.esm_tokens_per_second = esm_tokens_per_second();
  run.settings.gpus.resize(gpus);
  if (run_files::kMonitorLog.found_in(directory).empty()) {
    run.monitor.failure = "logs/ has no gpu_metrics_<time>.log";
  }
  return judge(run, computing_seconds(), thresholds);
}

std::vector<double> Trial::busy_seconds() const {
  std::vector<double> seconds;
  for (const RunTelemetry::Worker& worker : telemetry.workers) {
    seconds.push_back(or_zero(worker.busy_seconds));
  }
  return seconds;
}

double Trial::imbalance() const {
  return imbalance_of(telemetry.workers).value_or(0);
}

std::string Trial::slowest_worker() const {
  const std::vector<double> busy = busy_seconds();
  if (busy.empty()) return {};
  const auto k = static_cast<std::size_t>(std::ranges::max_element(busy) - busy.begin());
  return fmt::format("number {} ({})", k + 1, telemetry.workers[k].name.value_or("cpu"));
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
  trial.telemetry = read_run_telemetry(summary_file(trial.directory)).value_or(RunTelemetry{});
  note_devices(trial);
  return trial;
}

void PredictTrials::note_devices(const Trial& trial) {
  driver_ = trial.telemetry.machine.driver.value_or(driver_);
  for (const double clock :
       embedding_averages(trial.telemetry, &RunTelemetry::DevicePhase::sm_clock_mhz)) {
    clock_.add(clock);
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
  return Directory(settings_.folder).path_of(fmt::format("{:03}_{}", ++runs_, name));
}

}  // namespace virnucpro
