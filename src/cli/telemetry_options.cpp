#include "cli/telemetry_options.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "cli/devices.hpp"
#include "cli/version.hpp"

namespace virnucpro {
namespace {

constexpr const char* kLevels = "off, summary or full";
constexpr double kShortestSampling = 0.05;  // seconds
constexpr double kLongestSampling = 3600;
constexpr double kMostHours = 1e6;

std::optional<TelemetryLevel> parse_level(std::string_view text) {
  if (text == "off") return TelemetryLevel::kOff;
  if (text == "summary") return TelemetryLevel::kSummary;
  if (text == "full") return TelemetryLevel::kFull;
  return std::nullopt;
}

TelemetryLevel choose_level(const std::string& option, const Config& config) {
  constexpr std::string_view kKey = "run.telemetry";
  if (!option.empty()) {
    if (const auto level = parse_level(option)) return *level;
    throw Error(ErrorKind::kUsage, fmt::format("--telemetry {}: expected {}", option, kLevels));
  }
  const auto set = config.text(kKey);
  if (!set) return TelemetryLevel::kFull;
  if (const auto level = parse_level(*set)) return *level;
  throw config.wrong_value(kKey, kLevels);
}

struct ThresholdKey {
  std::string_view name;
  double Thresholds::*value;
  double most;
};

constexpr std::array kThresholdKeys{
    ThresholdKey{"run.requirements.projected_hours", &Thresholds::projected_hours, kMostHours},
    ThresholdKey{"run.requirements.most_projected_hours", &Thresholds::most_projected_hours,
                 kMostHours},
    ThresholdKey{"run.requirements.utilization", &Thresholds::utilization, 100},
    ThresholdKey{"run.requirements.least_utilization", &Thresholds::least_utilization, 100},
    ThresholdKey{"run.requirements.packing", &Thresholds::packing, 100},
    ThresholdKey{"run.requirements.starved", &Thresholds::starved, 100},
    ThresholdKey{"run.requirements.most_starved", &Thresholds::most_starved, 100},
    ThresholdKey{"run.requirements.shortest_run", &Thresholds::shortest_run, kMostHours}};

// Checks that the bar of a warning and that of a miss are in order.
void require_in_order(const Config& config, std::string_view key, double first, double second) {
  if (first <= second) return;
  throw config.wrong_value(key, fmt::format("no more than {:g}, the other bar", second));
}

Thresholds choose_thresholds(const Config& config) {
  Thresholds thresholds;
  for (const ThresholdKey& key : kThresholdKeys) {
    double& value = thresholds.*key.value;
    value = config.number_in(key.name, value, 0, key.most);
  }
  require_in_order(config, "run.requirements.projected_hours", thresholds.projected_hours,
                   thresholds.most_projected_hours);
  require_in_order(config, "run.requirements.least_utilization", thresholds.least_utilization,
                   thresholds.utilization);
  require_in_order(config, "run.requirements.starved", thresholds.starved, thresholds.most_starved);
  return thresholds;
}

}  // namespace

TelemetrySettings choose_telemetry(const std::string& option, bool has_directory,
                                   const Session& session) {
  TelemetrySettings telemetry;
  const TelemetryLevel level = choose_level(option, session.config);
  telemetry.level = has_directory ? level : TelemetryLevel::kOff;
  telemetry.interval = std::chrono::milliseconds(
      std::lround(1000 * session.config.number_in("run.monitor_interval", 1, kShortestSampling,
                                                  kLongestSampling)));
  telemetry.thresholds = choose_thresholds(session.config);
  telemetry.program = {.command = session.arguments,
                       .build = build_text(),
                       .commit = build_commit(),
                       .processor = describe_processor()};
  return telemetry;
}

}  // namespace virnucpro
