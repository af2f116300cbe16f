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

#include "base/directory.hpp"
#include "base/host.hpp"
#include "observe/batch_metrics.hpp"
#include "observe/gauges.hpp"
#include "observe/host_usage.hpp"
#include "observe/nvml.hpp"
#include "observe/phase.hpp"
#include "observe/statistic.hpp"

namespace virnucpro {

// A GPU of the run. `uuid` and `pci` are for Nvml::find().
struct MonitoredDevice {
  std::string id;  // "cuda:0"
  std::string uuid;
  std::string pci;
  std::optional<WorkerMemory> memory{};  // as its worker reported before the first batch
};

struct MonitorSettings {
  std::vector<MonitoredDevice> devices{};   // empty: measures only the host
  std::chrono::milliseconds interval{500};  // more than 0
  FilePlace csv{std::filesystem::path()};   // folder must exist by the first sample; empty: no file
  // Sources of the measurements.
  std::string nvml_library = kNvmlLibrary;
  std::filesystem::path proc = "/proc";
};

// A GPU's statistics over one or several phases.
struct GpuStatistics : GpuGauges<Statistic> {
  Statistic ecc_errors;                // uncorrected errors since the driver was loaded
  std::uint64_t throttle_reasons = 0;  // bits of all samples; see throttle_names()

  void add(const GpuReading& reading);
};
GpuStatistics combined(const GpuStatistics& a, const GpuStatistics& b);

struct DeviceSummary {
  std::string id;       // "cuda:0"
  std::string failure;  // the first failure to find or read the GPU; else empty
  GpuDescription description;
  std::optional<std::uint64_t> memory_total;  // bytes
  std::uint64_t rows = 0;                     // rows in the file that have a value
  std::uint64_t nvml_rows = 0;                // rows that NVML measured
  std::array<GpuStatistics, kPhases> phases;

  const GpuStatistics& of(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
  GpuStatistics while_embedding() const;
  GpuStatistics whole() const;  // over all phases
  void add(Phase phase, const GpuReading& reading);
};

using HostStatistics = HostGauges<Statistic>;

struct HostSummary {
  HostUsage usage;      // at the time of the summary
  ControlGroup cgroup;  // at the time of the summary
  std::array<HostStatistics, kPhases> phases;

  const HostStatistics& of(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
  HostStatistics& of(Phase phase) { return phases[static_cast<std::size_t>(phase)]; }
  HostStatistics whole() const;  // over all phases
};

struct MonitorSummary {
  std::uint64_t samples = 0;
  std::uint64_t written = 0;           // samples whose rows are in the file
  std::string file_failure;            // why the first missing rows were not written; else empty
  std::string driver;                  // driver version; empty: unknown
  std::string nvml_failure;            // why NVML cannot be used; else empty
  std::vector<DeviceSummary> devices;  // in the settings' order
  HostSummary host;
};

// Measures the GPUs and the host of a run once per interval, on its own thread. The results are
// statistics, in fixed memory, and a CSV file (observe/monitor_rows.hpp). A failure never delays or
// ends the run: a value that cannot be read is empty, and a line that cannot be written is dropped.
// Each device's first failure and the file's first failure are logged as warnings.
//
// If NVML does not measure a GPU, its rows have only the memory that its worker reports, because
// this process opens no GPU. While the run is in kEmbedding, each GPU has a phase of its own. The
// times of the first batch that the GPU ends after a sample tell this phase, so the sample is held
// until then. After 20 seconds, a phase still unknown counts as kEmbedding.
class Monitor {
 public:
  explicit Monitor(MonitorSettings settings);
  ~Monitor();  // calls end()
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Begins a phase; a run begins with kStart. Any thread may call this function.
  void enter(Phase phase);
  // Adds a batch that has results. Its `worker` is the device's index in the settings.
  void record(const BatchMetrics& batch);
  // Ends measuring and writes the held samples, so that a summary counts all rows of the file.
  // Waits for half a second at most; a thread that the driver blocks for longer is left running.
  void end();
  MonitorSummary summary() const;
  // Returns each GPU's utilization in the last sample, in percent; empty if unknown.
  std::vector<std::optional<double>> utilization() const;

 private:
  class Sampler;

  std::shared_ptr<Sampler> sampler_;  // shared with the thread, which may be left running
  std::thread thread_;
};

}  // namespace virnucpro
