#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "observe/host_usage.hpp"
#include "observe/nvml.hpp"
#include "observe/phase.hpp"
#include "observe/statistic.hpp"

namespace virnucpro {

// A GPU of the run. `uuid` and `pci` are what Nvml::find() takes.
struct MonitoredDevice {
  std::string id;  // "cuda:0"
  std::string uuid;
  std::string pci;
};

struct MonitorSettings {
  std::vector<MonitoredDevice> devices{};    // none: the host alone
  std::chrono::milliseconds interval{1000};  // more than 0
  std::filesystem::path csv{};  // its folder must be there by the first sample; empty: no file
  // Where it asks.
  std::string nvml_library = kNvmlLibrary;
  std::filesystem::path proc = "/proc";
  std::filesystem::path system = "/sys";
};

// A GPU over the samples of one phase, or of several.
struct GpuStatistics {
  Statistic utilization_percent;
  Statistic memory_used;  // bytes
  Statistic temperature_c;
  Statistic power_w;
  Statistic sm_clock_mhz;
  Statistic ecc_errors;                // uncorrected, since the driver was loaded
  std::uint64_t throttle_reasons = 0;  // those of any sample: throttle_names()
};
GpuStatistics combined(const GpuStatistics& a, const GpuStatistics& b);

struct DeviceSummary {
  std::string id;       // "cuda:0"
  std::string failure;  // why it could not be found or, the first time, did not answer; else empty
  GpuDescription description;
  std::optional<std::uint64_t> memory_total;  // bytes
  std::array<GpuStatistics, kPhases> phases;

  const GpuStatistics& of(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
  GpuStatistics whole() const;  // all phases
};

// This process and its workers over the samples of one phase, or of several.
struct HostStatistics {
  Statistic cpu_percent;  // 100: one processor
  Statistic rss_bytes;
};
HostStatistics combined(const HostStatistics& a, const HostStatistics& b);

struct HostSummary {
  HostUsage usage;      // when the summary was asked for
  CgroupMemory cgroup;  // likewise
  std::array<HostStatistics, kPhases> phases;

  const HostStatistics& of(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
  HostStatistics whole() const;  // all phases
};

struct MonitorSummary {
  std::uint64_t samples = 0;
  std::string driver;                  // its version; empty: not known
  std::string nvml_failure;            // why no device could be asked; else empty
  std::vector<DeviceSummary> devices;  // as in the settings
  HostSummary host;
};

// Measures the GPUs and the host of a run from a thread of its own, once an interval, into figures
// of fixed memory and a file of lines (observe/monitor_rows.hpp), and never holds the run up or
// ends it: what cannot be read is empty, what cannot be written is left out, and a warning says
// either once.
class Monitor {
 public:
  explicit Monitor(MonitorSettings settings);
  // Takes no longer than half a second: a thread that a driver holds for longer is left behind.
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // From any thread. A run begins with kStart.
  void enter(Phase phase);
  MonitorSummary summary() const;
  // In percent, as each of the settings' devices said last; empty where one did not.
  std::vector<std::optional<double>> utilization() const;

 private:
  class Sampler;

  std::shared_ptr<Sampler> sampler_;  // the thread has a share, for when it is left behind
  std::thread thread_;
};

}  // namespace virnucpro
