#include "observe/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "base/threads.hpp"
#include "observe/line_file.hpp"
#include "observe/monitor_rows.hpp"

namespace virnucpro {
namespace {

using Clock = std::chrono::steady_clock;

// How long stop() waits for the thread. A sample takes some milliseconds; a driver that takes
// longer may never answer.
constexpr std::chrono::milliseconds kPatience{500};
// How long a sample waits for batch results, which tell the devices' phases. A batch takes some
// tenths of a second on a large GPU and ten seconds on a small GPU.
constexpr std::chrono::seconds kLongestHold{20};

// A device's values at one moment.
struct DeviceReading {
  GpuReading reading{};
  bool by_nvml = false;

  bool has_value() const { return reading.failure.empty(); }
};

DeviceReading stand_in(const WorkerMemory& memory) {
  DeviceReading reading;
  reading.reading.memory_used_bytes = memory.device_used;
  reading.reading.memory_total = memory.device_total;
  return reading;
}

// The values of all devices and of the host at one moment. A device's phase is unknown until the
// batch that it computes at that moment has results.
struct Sample {
  SystemTime time{};
  Clock::time_point moment{};
  Phase phase = Phase::kStart;                          // the run's phase
  bool is_measured = false;                             // devices, usage and cpu_percent are set
  std::vector<std::optional<Phase>> phases{};           // each device's phase
  std::vector<std::optional<DeviceReading>> devices{};  // values of each measured device
  HostUsage usage{};
  std::optional<double> cpu_percent{};

  bool is_complete() const {
    return is_measured &&
           std::ranges::all_of(phases, [](const auto& known) { return known.has_value(); });
  }
  Phase phase_of(std::size_t device) const { return phases[device].value_or(phase); }
};

// Adds a sample to the statistics. `is_written` tells whether the file has the sample's rows.
void add_sample(const Sample& sample, bool is_written, MonitorSummary& summary) {
  for (std::size_t i = 0; i < sample.devices.size(); ++i) {
    const auto& measured = sample.devices[i];
    if (!measured) continue;
    DeviceSummary& device = summary.devices[i];
    device.add(sample.phase_of(i), measured->reading);
    if (!is_written || !measured->has_value()) continue;
    ++device.rows;
    if (measured->by_nvml) ++device.nvml_rows;
  }
  add_values<HostGauges>(summary.host.of(sample.phase),
                         {.cpu_percent = sample.cpu_percent, .rss_bytes = sample.usage.rss_bytes});
  ++summary.samples;
  if (is_written) ++summary.written;
}

// Computes the processor use between two calls of next().
class CpuShare {
 public:
  // Returns percent of one processor; empty if unknown. `cpu_seconds` is the time used so far.
  std::optional<double> next(std::optional<double> cpu_seconds) {
    const Clock::time_point now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - before_).count();
    std::optional<double> percent;
    if (cpu_seconds && seconds_before_ && elapsed > 0) {
      // Return at least 0: cpu_seconds falls while the time of a worker that just ended is missing.
      percent = std::max(0.0, 100 * (*cpu_seconds - *seconds_before_) / elapsed);
    }
    before_ = now;
    seconds_before_ = cpu_seconds;
    return percent;
  }

 private:
  Clock::time_point before_{};
  std::optional<double> seconds_before_;
};

}  // namespace

void GpuStatistics::add(const GpuReading& reading) {
  add_values<GpuGauges>(*this, reading);
  if (reading.ecc_errors) ecc_errors.add(static_cast<double>(*reading.ecc_errors));
  throttle_reasons |= reading.throttle_reasons.value_or(0);
}

void DeviceSummary::add(Phase phase, const GpuReading& reading) {
  phases[static_cast<std::size_t>(phase)].add(reading);
  if (reading.memory_total) memory_total = reading.memory_total;
}

GpuStatistics combined(const GpuStatistics& a, const GpuStatistics& b) {
  GpuStatistics both = a;
  combine<GpuGauges>(both, b);
  both.ecc_errors = combined(a.ecc_errors, b.ecc_errors);
  both.throttle_reasons |= b.throttle_reasons;
  return both;
}

GpuStatistics DeviceSummary::while_embedding() const {
  GpuStatistics all;
  for (const Phase phase : kAllPhases) {
    if (is_while_embedding(phase)) all = combined(all, of(phase));
  }
  return all;
}

GpuStatistics DeviceSummary::whole() const {
  GpuStatistics all;
  for (const GpuStatistics& phase : phases) all = combined(all, phase);
  return all;
}

HostStatistics HostSummary::whole() const {
  HostStatistics all;
  for (const HostStatistics& phase : phases) combine(all, phase);
  return all;
}

// The work of the monitor's thread, and the data that the thread shares with the Monitor.
class Monitor::Sampler {
 public:
  explicit Sampler(MonitorSettings settings);

  void run();
  // Ends the thread, which then logs nothing more. Returns false if it still runs after kPatience.
  bool stop();
  void enter(Phase phase);
  void record(const BatchMetrics& batch);
  MonitorSummary summary() const;
  std::vector<std::optional<double>> utilization() const;

 private:
  // A device that NVML found. `index` is its place in the settings.
  struct Device {
    std::size_t index;
    NvmlDevice handle;
  };

  void sample_until_stopped();
  void open_devices();
  void note_no_nvml(const std::string& failure);
  void open_device(std::size_t index);
  void sample();
  void measure(Sample& sample);
  std::vector<std::optional<DeviceReading>> read_devices();
  void stand_in_for(std::vector<std::optional<DeviceReading>>& readings) const;
  bool can_release() const;
  void release_first(std::unique_lock<std::mutex>& lock);
  bool write(const Sample& sample);
  void note_unwritten(const std::string& failure);
  void note_failure(std::size_t index, const std::string& failure, const char* what);
  void warn(const std::string& text);
  void close_devices();

  const MonitorSettings settings_;
  std::atomic<Phase> phase_{Phase::kStart};

  mutable std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  bool stopping_ = false;
  bool abandoned_ = false;
  bool ended_ = false;
  MonitorSummary summary_;                           // without the held samples
  std::deque<Sample> held_;                          // samples that wait for batches, oldest first
  std::vector<std::optional<double>> utilization_;   // from the last sample
  std::vector<std::optional<WorkerMemory>> memory_;  // the workers' last reports

  // Only the thread uses the members below:
  std::unique_ptr<Nvml> nvml_;
  std::vector<Device> devices_;
  CpuShare cpu_share_;
  LineFile file_;
};

Monitor::Sampler::Sampler(MonitorSettings settings)
    : settings_(std::move(settings)), file_(settings_.csv, kMonitorHeader) {
  for (const MonitoredDevice& device : settings_.devices) {
    summary_.devices.emplace_back().id = device.id;
    memory_.push_back(device.memory);
  }
  utilization_.resize(settings_.devices.size());
}

void Monitor::Sampler::run() {
  try {
    sample_until_stopped();
  } catch (const std::exception& error) {
    warn(fmt::format("the GPUs and this machine are no longer measured: {}", error.what()));
  }
  const MonitorSummary all = summary();
  if (all.written > 0) {
    static_cast<void>(file_.append(
        monitor_footer(std::chrono::system_clock::now(), all.devices, settings_.interval)));
  }
  close_devices();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Monitor::Sampler::sample_until_stopped() {
  open_devices();
  Clock::time_point next = Clock::now();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (can_release()) {
      release_first(lock);
    } else if (Clock::now() >= next) {
      lock.unlock();
      sample();
      next = std::max(next + settings_.interval, Clock::now());
      lock.lock();
    } else {
      const bool holds = !held_.empty();
      changed_.wait_until(lock, holds ? std::min(next, held_.front().moment + kLongestHold) : next);
    }
  }
  while (!held_.empty() && !abandoned_) release_first(lock);
}

void Monitor::Sampler::open_devices() {
  if (settings_.devices.empty()) return;
  nvml_ = std::make_unique<Nvml>(settings_.nvml_library);
  if (!nvml_->failure().empty()) {
    note_no_nvml(nvml_->failure());
    return;
  }
  const std::string driver = nvml_->driver_version();
  {
    const std::lock_guard lock(mutex_);
    summary_.driver = driver;
  }
  for (std::size_t i = 0; i < settings_.devices.size(); ++i) open_device(i);
}

void Monitor::Sampler::note_no_nvml(const std::string& failure) {
  warn(fmt::format("NVIDIA's library NVML cannot be used, so only the GPUs' memory is measured: {}",
                   failure));
  const std::lock_guard lock(mutex_);
  summary_.nvml_failure = failure;
  for (DeviceSummary& device : summary_.devices) device.failure = failure;
}

void Monitor::Sampler::open_device(std::size_t index) {
  const MonitoredDevice& wanted = settings_.devices[index];
  const FoundGpu found = nvml_->find(wanted.uuid, wanted.pci);
  if (!found.failure.empty()) {
    note_failure(index, found.failure, "is not measured by NVIDIA's library NVML");
    return;
  }
  devices_.push_back({.index = index, .handle = found.device});
  GpuDescription description = nvml_->describe(found.device);
  const std::lock_guard lock(mutex_);
  summary_.devices[index].description = std::move(description);
}

void Monitor::Sampler::sample() {
  Sample sample{.time = std::chrono::system_clock::now(),
                .moment = Clock::now(),
                .phase = phase_.load(std::memory_order_relaxed)};
  sample.phases.resize(settings_.devices.size());
  if (sample.phase == Phase::kEmbedding && !settings_.devices.empty()) {
    {  // Hold the sample before measuring, so that record() finds it if results come meanwhile.
      const std::lock_guard lock(mutex_);
      held_.push_back(sample);
    }
    measure(sample);
    const std::lock_guard lock(mutex_);
    sample.phases = std::move(held_.back().phases);
    held_.back() = std::move(sample);
    return;
  }
  measure(sample);
  const bool is_written = write(sample);
  const std::lock_guard lock(mutex_);
  add_sample(sample, is_written, summary_);
}

void Monitor::Sampler::measure(Sample& sample) {
  sample.devices = read_devices();
  sample.usage = read_host_usage(settings_.proc);
  sample.cpu_percent = cpu_share_.next(sample.usage.cpu_seconds);
  sample.is_measured = true;
  const std::lock_guard lock(mutex_);
  stand_in_for(sample.devices);
  for (const Device& device : devices_) {
    utilization_[device.index] = sample.devices[device.index]->reading.utilization_percent;
  }
}

std::vector<std::optional<DeviceReading>> Monitor::Sampler::read_devices() {
  std::vector<std::optional<DeviceReading>> readings(settings_.devices.size());
  for (const Device& device : devices_) {
    readings[device.index] = {.reading = nvml_->read(device.handle), .by_nvml = true};
    const std::string& failure = readings[device.index]->reading.failure;
    if (!failure.empty())
      note_failure(device.index, failure, "cannot be measured by NVIDIA's library NVML");
  }
  return readings;
}

// Uses the memory that a worker reported, if NVML reported no value of its device.
void Monitor::Sampler::stand_in_for(std::vector<std::optional<DeviceReading>>& readings) const {
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const bool is_there = readings[i] && readings[i]->has_value();
    if (!is_there && memory_[i]) readings[i] = stand_in(*memory_[i]);
  }
}

// Returns true if the first held sample need not wait any longer.
bool Monitor::Sampler::can_release() const {
  if (held_.empty()) return false;
  const Sample& first = held_.front();
  return first.is_complete() || Clock::now() - first.moment >= kLongestHold;
}

void Monitor::Sampler::release_first(std::unique_lock<std::mutex>& lock) {
  const Sample first = held_.front();
  lock.unlock();
  const bool is_written = write(first);
  lock.lock();
  held_.pop_front();  // still `first`: only this thread adds and removes samples
  add_sample(first, is_written, summary_);
}

// Writes a sample's rows. Returns true if they are in the file.
bool Monitor::Sampler::write(const Sample& sample) {
  if (settings_.csv.path.empty()) return false;
  std::string rows;
  for (std::size_t i = 0; i < sample.devices.size(); ++i) {
    if (!sample.devices[i]) continue;
    rows += device_row(sample.time, sample.phase_of(i), settings_.devices[i].id,
                       sample.devices[i]->reading);
  }
  rows += host_row(sample.time, sample.phase, sample.usage, sample.cpu_percent);
  const int error = file_.append(rows);
  if (error != 0) note_unwritten(errno_text(error));
  return error == 0;
}

void Monitor::Sampler::note_unwritten(const std::string& failure) {
  {
    const std::lock_guard lock(mutex_);
    if (!summary_.file_failure.empty()) return;
    summary_.file_failure = failure;
  }
  warn(fmt::format("{}: this file cannot be written, so it lacks measurements: {}",
                   settings_.csv.path.string(), failure));
}

// Begins a phase. All batches of the old phase have results, so no later batch can tell the unknown
// phases in held samples. Each such phase becomes the run's phase at the time of its sample.
void Monitor::Sampler::enter(Phase phase) {
  phase_.store(phase, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  for (Sample& sample : held_) {
    for (std::optional<Phase>& known : sample.phases) known = known.value_or(sample.phase);
  }
  changed_.notify_all();
}

// Sets the device's phase in held samples. The first batch that ends after a sample tells the
// phase, because a device computes one batch at a time.
void Monitor::Sampler::record(const BatchMetrics& batch) {
  const std::size_t device = batch.worker;
  if (device >= settings_.devices.size()) return;
  const std::lock_guard lock(mutex_);
  if (batch.memory) memory_[device] = batch.memory;
  for (Sample& sample : held_) {
    const double before = std::chrono::duration<double>(batch.arrived - sample.moment).count();
    std::optional<Phase>& phase = sample.phases[device];
    if (!phase && before >= 0) phase = phase_before_results(batch.times, before);
  }
  if (can_release()) changed_.notify_all();
}

void Monitor::Sampler::note_failure(std::size_t index, const std::string& failure,
                                    const char* what) {
  {
    const std::lock_guard lock(mutex_);
    std::string& noted = summary_.devices[index].failure;
    if (!noted.empty()) return;
    noted = failure;
  }
  warn(fmt::format("{} {}: {}", settings_.devices[index].id, what, failure));
}

// Logs nothing after stop(), because a thread that was left running may outlive the log.
void Monitor::Sampler::warn(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) log_warning("{}", text);
}

void Monitor::Sampler::close_devices() {
  std::unique_lock lock(mutex_);
  const bool abandoned = abandoned_;
  lock.unlock();
  // Do not call NVML if stop() gave up waiting: the process may be exiting and have unloaded NVML.
  if (abandoned) static_cast<void>(nvml_.release());
  nvml_.reset();
}

bool Monitor::Sampler::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  abandoned_ = !changed_.wait_for(lock, kPatience, [this] { return ended_; });
  return ended_;
}

MonitorSummary Monitor::Sampler::summary() const {
  MonitorSummary summary;
  {
    const std::lock_guard lock(mutex_);
    summary = summary_;
    for (const Sample& sample : held_) {
      if (sample.is_measured) add_sample(sample, false, summary);
    }
  }
  summary.host.usage = read_host_usage(settings_.proc);
  summary.host.cgroup = read_control_group();
  return summary;
}

std::vector<std::optional<double>> Monitor::Sampler::utilization() const {
  const std::lock_guard lock(mutex_);
  return utilization_;
}

Monitor::Monitor(MonitorSettings settings)
    : sampler_(std::make_shared<Sampler>(std::move(settings))) {
  try {
    thread_ = start_thread([sampler = sampler_] { sampler->run(); });
  } catch (const std::system_error& error) {
    log_warning("the GPUs and this machine are not measured: {}", error.what());
  }
}

Monitor::~Monitor() {
  end();
}

void Monitor::end() {
  if (!thread_.joinable()) return;
  if (sampler_->stop()) {
    thread_.join();
  } else {
    log_warning(
        "the last measurement of the GPUs and this machine did not end in time and is missing");
    thread_.detach();
  }
}

void Monitor::enter(Phase phase) {
  sampler_->enter(phase);
}

void Monitor::record(const BatchMetrics& batch) {
  sampler_->record(batch);
}

MonitorSummary Monitor::summary() const {
  return sampler_->summary();
}

std::vector<std::optional<double>> Monitor::utilization() const {
  return sampler_->utilization();
}

}  // namespace virnucpro
