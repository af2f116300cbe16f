#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/repeater.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// What every such file begins with: one of another kind is not to be replaced.
inline constexpr std::string_view kMetricsFileStart = "# HELP virnucpro_";

// The counters in Prometheus's text format (its "Exposition formats", version 0.0.4). `run` tells
// runs of one machine apart; `state` is "running", "finished" or "failed".
std::string metrics_text(const RunCounters& counters, const std::string& run,
                         std::string_view state);

// Keeps a file of that text up to date while a run is on, for the node exporter's textfile
// collector: each time it is replaced as a whole. It only reads the counters and never ends the
// run: what cannot be written is left, with one warning.
class MetricsFile {
 public:
  MetricsFile(std::filesystem::path path, std::string run, const RunCounters& counters,
              std::chrono::milliseconds interval = std::chrono::seconds(5));
  // Says "failed" unless the run was said to be finished.
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  void finish() { finished_ = true; }

 private:
  void write(std::string_view state);

  const std::filesystem::path path_;
  const std::string run_;
  const RunCounters& counters_;
  bool finished_ = false;
  bool warned_ = false;
  std::optional<Repeater> repeater_;  // last: it uses all of the above
};

}  // namespace virnucpro
