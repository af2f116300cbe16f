#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/threads.hpp"
#include "observe/counters.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// Every metrics file begins with this text. A file without this beginning is never replaced.
inline constexpr std::string_view kMetricsFileStart = "# HELP virnucpro_";

// The run whose metrics are written.
struct MetricsRun {
  std::string name{};  // distinguishes the runs on one machine
  double shadow = 0;   // the run's --shadow
};

// Returns the counters in Prometheus's text format (its "Exposition formats", version 0.0.4).
// `state` is "running", "finished" or "failed". `calls` is set for a finished run.
std::string metrics_text(const RunCounters& counters, const MetricsRun& run, std::string_view state,
                         const std::optional<TableCounts>& calls = {});

// Writes metrics_text() to a file every `interval` during a run, for the node exporter's textfile
// collector. Each update replaces the whole file. MetricsFile only reads the counters and never
// ends the run: if a write fails, it warns once and goes on.
class MetricsFile {
 public:
  MetricsFile(std::filesystem::path path, MetricsRun run, const RunCounters& counters,
              std::chrono::milliseconds interval = std::chrono::seconds(5));
  // Writes the state "failed" unless finish() was called.
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  void finish(const TableCounts& calls) {
    repeater_.reset();
    calls_ = calls;
  }

 private:
  void write(std::string_view state);

  const std::filesystem::path path_;
  const MetricsRun run_;
  const RunCounters& counters_;
  std::optional<TableCounts> calls_;  // set by finish()
  bool warned_ = false;
  std::optional<Repeater> repeater_;  // last, because its thread uses the members above
};

}  // namespace virnucpro
