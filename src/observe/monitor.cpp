#include "observe/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "observe/line_file.hpp"
#include "observe/monitor_rows.hpp"

namespace virnucpro {
namespace {

using Clock = std::chrono::steady_clock;

// A sample takes some milliseconds; a driver that takes longer may never answer.
constexpr std::chrono::milliseconds kPatience{500};

template <typename T>
void add_to(Statistic& statistic, const std::optional<T>& value) {
  if (value) statistic.add(static_cast<double>(*value));
}

template <typename Statistics>
Statistics combined_all(const std::array<Statistics, kPhases>& phases) {
  Statistics whole;
  for (const Statistics& phase : phases) whole = combined(whole, phase);
  return whole;
}

// The processor time used between two calls.
class CpuShare {
 public:
  // In percent of one processor; empty if unknown.
  std::optional<double> next(std::optional<double> cpu_seconds) {
    const Clock::time_point now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - before_).count();
    std::optional<double> percent;
    if (cpu_seconds && seconds_before_ && elapsed > 0) {
      // A worker that ends between two readings of /proc is missing from both.
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
  add_to(utilization_percent, reading.utilization_percent);
  add_to(memory_used, reading.memory_used);
  add_to(temperature_c, reading.temperature_c);
  add_to(power_w, reading.power_w);
  add_to(sm_clock_mhz, reading.sm_clock_mhz);
  add_to(ecc_errors, reading.ecc_errors);
  throttle_reasons |= reading.throttle_reasons.value_or(0);
}

void HostStatistics::add(std::optional<double> cpu, std::optional<std::uint64_t> resident) {
  add_to(cpu_percent, cpu);
  add_to(rss_bytes, resident);
}

void DeviceSummary::add(Phase phase, const GpuReading& reading) {
  phases[static_cast<std::size_t>(phase)].add(reading);
  if (reading.memory_total) memory_total = reading.memory_total;
}

GpuStatistics combined(const GpuStatistics& a, const GpuStatistics& b) {
  return {.utilization_percent = combined(a.utilization_percent, b.utilization_percent),
          .memory_used = combined(a.memory_used, b.memory_used),
          .temperature_c = combined(a.temperature_c, b.temperature_c),
          .power_w = combined(a.power_w, b.power_w),
          .sm_clock_mhz = combined(a.sm_clock_mhz, b.sm_clock_mhz),
          .ecc_errors = combined(a.ecc_errors, b.ecc_errors),
          .throttle_reasons = a.throttle_reasons | b.throttle_reasons};
}

HostStatistics combined(const HostStatistics& a, const HostStatistics& b) {
  return {.cpu_percent = combined(a.cpu_percent, b.cpu_percent),
          .rss_bytes = combined(a.rss_bytes, b.rss_bytes)};
}

GpuStatistics DeviceSummary::whole() const {
  return combined_all(phases);
}

HostStatistics HostSummary::whole() const {
  return combined_all(phases);
}

// The thread's work, and the data it shares with the monitor's owner.
class Monitor::Sampler {
 public:
  explicit Sampler(MonitorSettings settings);

  void run();
  // Whether the thread ended in time. If not, it logs nothing more and leaves the driver alone.
  bool stop();
  void enter(Phase phase) { phase_.store(phase, std::memory_order_relaxed); }
  MonitorSummary summary() const;
  std::vector<std::optional<double>> utilization() const;

 private:
  // One of the settings' devices that was found.
  struct Device {
    std::size_t index;
    NvmlDevice handle;
  };

  struct Sample {
    SystemTime time;
    Phase phase;
    std::vector<GpuReading> readings;  // of each device that was found
    HostUsage usage;
    std::optional<double> cpu_percent;
  };

  void sample_until_stopped();
  void open_devices();
  void open_device(std::size_t index);
  void sample();
  std::vector<GpuReading> read_devices();
  void write(const Sample& sample);
  void record(const Sample& sample);
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
  MonitorSummary summary_;
  std::vector<std::optional<double>> utilization_;  // of the last sample

  // Used by the thread only:
  std::unique_ptr<Nvml> nvml_;
  std::vector<Device> devices_;
  CpuShare cpu_share_;
  LineFile file_;
  bool file_fails_ = false;
};

Monitor::Sampler::Sampler(MonitorSettings settings)
    : settings_(std::move(settings)), file_(settings_.csv, kMonitorHeader) {
  for (const MonitoredDevice& device : settings_.devices) {
    summary_.devices.emplace_back().id = device.id;
  }
  utilization_.resize(settings_.devices.size());
}

void Monitor::Sampler::run() {
  try {
    sample_until_stopped();
  } catch (const std::exception& error) {
    warn(fmt::format("the monitor has ended: {}", error.what()));
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
  while (!changed_.wait_until(lock, next, [this] { return stopping_; })) {
    lock.unlock();
    sample();
    next = std::max(next + settings_.interval, Clock::now());
    lock.lock();
  }
}

void Monitor::Sampler::open_devices() {
  if (settings_.devices.empty()) return;
  nvml_ = std::make_unique<Nvml>(settings_.nvml_library);
  if (!nvml_->failure().empty()) {
    warn(fmt::format("the GPUs are not measured, the host alone: {}", nvml_->failure()));
    const std::lock_guard lock(mutex_);
    summary_.nvml_failure = nvml_->failure();
    return;
  }
  const std::string driver = nvml_->driver_version();
  {
    const std::lock_guard lock(mutex_);
    summary_.driver = driver;
  }
  for (std::size_t i = 0; i < settings_.devices.size(); ++i) open_device(i);
}

void Monitor::Sampler::open_device(std::size_t index) {
  const MonitoredDevice& wanted = settings_.devices[index];
  const FoundGpu found = nvml_->find(wanted.uuid, wanted.pci);
  if (!found.failure.empty()) {
    note_failure(index, found.failure, "is not measured: NVML does not find it");
    return;
  }
  devices_.push_back({.index = index, .handle = found.device});
  GpuDescription description = nvml_->describe(found.device);
  const std::lock_guard lock(mutex_);
  summary_.devices[index].description = std::move(description);
}

void Monitor::Sampler::sample() {
  Sample sample{.time = std::chrono::system_clock::now(),
                .phase = phase_.load(std::memory_order_relaxed),
                .readings = read_devices(),
                .usage = read_host_usage(settings_.proc),
                .cpu_percent = {}};
  sample.cpu_percent = cpu_share_.next(sample.usage.cpu_seconds);
  if (!settings_.csv.path.empty()) write(sample);
  record(sample);
}

std::vector<GpuReading> Monitor::Sampler::read_devices() {
  std::vector<GpuReading> readings;
  for (const Device& device : devices_) {
    readings.push_back(nvml_->read(device.handle));
    const std::string& failure = readings.back().failure;
    if (!failure.empty()) note_failure(device.index, failure, "does not answer");
  }
  return readings;
}

void Monitor::Sampler::write(const Sample& sample) {
  std::string rows;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const std::string& id = settings_.devices[devices_[i].index].id;
    rows += device_row(sample.time, sample.phase, id, sample.readings[i]);
  }
  rows += host_row(sample.time, sample.phase, sample.usage, sample.cpu_percent);
  const int error = file_.append(rows);
  if (error == 0 || std::exchange(file_fails_, true)) return;
  warn(fmt::format("{}: measurements are left out: {}", settings_.csv.path.string(),
                   errno_text(error)));
}

void Monitor::Sampler::record(const Sample& sample) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const GpuReading& reading = sample.readings[i];
    summary_.devices[devices_[i].index].add(sample.phase, reading);
    utilization_[devices_[i].index] = reading.utilization_percent;
  }
  summary_.host.of(sample.phase).add(sample.cpu_percent, sample.usage.rss_bytes);
  ++summary_.samples;
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

// Never while stopping: a thread that was left behind may outlive the log.
void Monitor::Sampler::warn(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) log_warning("{}", text);
}

void Monitor::Sampler::close_devices() {
  std::unique_lock lock(mutex_);
  const bool abandoned = abandoned_;
  lock.unlock();
  // The process may be ending, and the library with it: do not touch it.
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
  }
  summary.host.usage = read_host_usage(settings_.proc);
  summary.host.cgroup = read_cgroup_memory(settings_.proc, settings_.system);
  return summary;
}

std::vector<std::optional<double>> Monitor::Sampler::utilization() const {
  const std::lock_guard lock(mutex_);
  return utilization_;
}

Monitor::Monitor(MonitorSettings settings)
    : sampler_(std::make_shared<Sampler>(std::move(settings))) {
  try {
    thread_ = std::thread([sampler = sampler_] { sampler->run(); });
  } catch (const std::system_error& error) {
    log_warning("nothing is measured: {}", error.what());
  }
}

Monitor::~Monitor() {
  if (!thread_.joinable()) return;
  if (sampler_->stop()) {
    thread_.join();
  } else {
    log_warning("the last measurement does not end and is left behind");
    thread_.detach();
  }
}

void Monitor::enter(Phase phase) {
  sampler_->enter(phase);
}

MonitorSummary Monitor::summary() const {
  return sampler_->summary();
}

std::vector<std::optional<double>> Monitor::utilization() const {
  return sampler_->utilization();
}

}  // namespace virnucpro
