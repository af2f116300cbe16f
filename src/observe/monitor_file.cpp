#include "observe/monitor_file.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace virnucpro {
namespace {

std::string row_start(SystemTime time, const std::string& id, Phase phase) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - second);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z,{},{}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(second)), rest.count(), id,
                     name_of(phase));
}

template <typename T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::format(",{}", *value) : ",";
}

}  // namespace

std::string monitor_file_name(SystemTime start) {
  return fmt::format("gpu_metrics_{:%Y%m%dT%H%M%SZ}.log",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(start)));
}

std::string device_row(SystemTime time, Phase phase, const std::string& id,
                       const GpuReading& reading) {
  std::optional<std::string> reasons;
  if (reading.throttle_reasons) reasons = throttle_names(*reading.throttle_reasons);
  return row_start(time, id, phase) + field(reading.utilization_percent) +
         field(reading.memory_used) + field(reading.memory_total) + field(reading.temperature_c) +
         field(reading.power_w) + field(reading.sm_clock_mhz) + field(reasons) +
         field(reading.ecc_errors) + ",,,,\n";
}

std::string host_row(SystemTime time, Phase phase, const HostUsage& usage,
                     std::optional<double> cpu_percent) {
  std::optional<std::string> percent;
  if (cpu_percent) percent = fmt::format("{:.1f}", *cpu_percent);
  return row_start(time, "host", phase) + ",,,,,,,," + field(percent) + field(usage.rss_bytes) +
         field(usage.read_bytes) + field(usage.written_bytes) + '\n';
}

int MonitorFile::append(const std::string& rows) {
  if (fd_.get() < 0) {
    if (const int error = open(); error != 0) return error;
  }
  return write(rows);
}

int MonitorFile::open() {
  UniqueFd fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (fd.get() < 0) return errno;
  fd_ = std::move(fd);
  if (::lseek(fd_.get(), 0, SEEK_END) > 0) return 0;
  const int error = write(kMonitorHeader);
  if (error != 0) fd_.reset();  // so that the header is tried again
  return error;
}

int MonitorFile::write(std::string_view text) {
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  const int error = write_all(fd_.get(), text);
  // What a full disk took of the text would run into the next row. A failure here leaves it at
  // that.
  if (error != 0 && end >= 0) static_cast<void>(::ftruncate(fd_.get(), end) == 0);
  return error;
}

}  // namespace virnucpro
