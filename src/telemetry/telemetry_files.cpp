#include "telemetry/telemetry_files.hpp"

#include <array>
#include <functional>
#include <set>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "journal/run_files.hpp"
#include "telemetry/run_telemetry.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

struct TelemetryName {
  RunFile file;
  fs::path TelemetryFiles::*member;
};
constexpr std::array kTelemetryNames{
    TelemetryName{run_files::kTelemetry, &TelemetryFiles::summary},
    TelemetryName{run_files::kBatchLines, &TelemetryFiles::batches},
    TelemetryName{run_files::kMonitorLog, &TelemetryFiles::metrics},
};

// Returns the start times of all sessions that left a file, the newest first.
std::set<std::string, std::greater<>> times_of(const fs::path& run) {
  std::set<std::string, std::greater<>> times;
  for (const TelemetryName& known : kTelemetryNames) {
    for (const fs::path& file : known.file.found_in(run)) {
      times.insert(known.file.differing_in(file));
    }
  }
  times.erase("");
  return times;
}

TelemetryFiles files_of(const fs::path& run, const std::string& time) {
  TelemetryFiles files;
  for (const TelemetryName& known : kTelemetryNames) {
    const fs::path file = known.file.in(run, time);
    std::error_code absent;
    if (fs::is_regular_file(fs::symlink_status(file, absent))) files.*known.member = file;
  }
  return files;
}

// Returns true if the session computed a batch. Also returns true if the summary is damaged, so
// that the damage is reported when the summary is read.
bool has_computed(const TelemetryFiles& files) {
  if (!files.batches.empty()) return true;
  if (files.summary.empty()) return false;
  try {
    const auto summary = read_run_telemetry(files.summary);
    return !summary || summary->workload.batches.value_or(1) > 0;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::vector<std::string> telemetry_times(const fs::path& run) {
  const auto times = times_of(run);
  return {times.rbegin(), times.rend()};
}

TelemetryFiles telemetry_at(const fs::path& run, const std::string& time) {
  return files_of(run, time);
}

TelemetryFiles newest_telemetry(const fs::path& run) {
  const auto times = times_of(run);
  for (const std::string& time : times) {
    const TelemetryFiles files = files_of(run, time);
    if (has_computed(files)) return files;
  }
  return times.empty() ? TelemetryFiles{} : files_of(run, *times.begin());
}

}  // namespace virnucpro
