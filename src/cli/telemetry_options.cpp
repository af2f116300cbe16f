#include "cli/telemetry_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "cli/devices.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/version.hpp"
#include "run/start_models.hpp"
#include "telemetry/trace_json.hpp"

namespace virnucpro {
namespace {

constexpr const char* kLevels = "off, summary or full";
constexpr double kShortestSampling = 0.05;  // seconds
constexpr double kLongestSeconds = 3600;    // the longest interval or trace
constexpr double kMostHours = 1e6;
constexpr double kMostRate = 1e9;

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
    fail_usage(fmt::format("--telemetry {}: expected {}", option, kLevels));
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
    ThresholdKey{"run.requirements.tokens_per_second", &Thresholds::tokens_per_second, kMostRate},
    ThresholdKey{"run.requirements.least_tokens_per_second", &Thresholds::least_tokens_per_second,
                 kMostRate},
    ThresholdKey{"run.requirements.packing", &Thresholds::packing, 100},
    ThresholdKey{"run.requirements.least_packing", &Thresholds::least_packing, 100},
    ThresholdKey{"run.requirements.starved", &Thresholds::starved, 100},
    ThresholdKey{"run.requirements.most_starved", &Thresholds::most_starved, 100},
    ThresholdKey{"run.requirements.imbalance", &Thresholds::imbalance, 100},
    ThresholdKey{"run.requirements.most_imbalance", &Thresholds::most_imbalance, 100},
    ThresholdKey{"run.requirements.changed_calls", &Thresholds::changed_calls, 1},
    ThresholdKey{"run.requirements.most_changed_calls", &Thresholds::most_changed_calls, 1},
    ThresholdKey{"run.requirements.shortest_run", &Thresholds::shortest_run, kMostHours}};

// Throws kConfig if `first` > `second`: the thresholds of warning and miss have the wrong order.
// The error names a key that the configuration file sets.
void require_in_order(const Config& config, std::string_view key, double first,
                      std::string_view other, double second) {
  if (first <= second) return;
  if (!config.number(key)) {
    throw config.wrong_value(other, fmt::format("at least {:g}, the default of {}", first, key));
  }
  throw config.wrong_value(key, fmt::format("at most {:g}, the value of {}", second, other));
}

Thresholds choose_thresholds(const Config& config) {
  Thresholds thresholds;
  for (const ThresholdKey& key : kThresholdKeys) {
    double& value = thresholds.*key.value;
    value = config.number_in(key.name, value, 0, key.most);
  }
  require_in_order(config, "run.requirements.projected_hours", thresholds.projected_hours,
                   "run.requirements.most_projected_hours", thresholds.most_projected_hours);
  require_in_order(config, "run.requirements.least_utilization", thresholds.least_utilization,
                   "run.requirements.utilization", thresholds.utilization);
  require_in_order(config, "run.requirements.least_tokens_per_second",
                   thresholds.least_tokens_per_second, "run.requirements.tokens_per_second",
                   thresholds.tokens_per_second);
  require_in_order(config, "run.requirements.least_packing", thresholds.least_packing,
                   "run.requirements.packing", thresholds.packing);
  require_in_order(config, "run.requirements.starved", thresholds.starved,
                   "run.requirements.most_starved", thresholds.most_starved);
  require_in_order(config, "run.requirements.imbalance", thresholds.imbalance,
                   "run.requirements.most_imbalance", thresholds.most_imbalance);
  require_in_order(config, "run.requirements.changed_calls", thresholds.changed_calls,
                   "run.requirements.most_changed_calls", thresholds.most_changed_calls);
  return thresholds;
}

constexpr const char* kDefaultLimit = "10s";
constexpr std::uint64_t kMostBatches = 1'000'000;
constexpr double kShortestTrace = 0.1;  // seconds

// Reads a limit in seconds, such as "10s", or in batches, such as "200".
TraceLimit parse_limit(std::string_view text) {
  if (text.ends_with('s')) {
    const auto seconds = parse_number(text.substr(0, text.size() - 1));
    if (seconds && *seconds >= kShortestTrace && *seconds <= kLongestSeconds)
      return {.seconds = *seconds};
  } else {
    const auto batches = parse_count(text);
    if (batches && *batches > 0 && *batches <= kMostBatches) return {.batches = *batches};
  }
  fail_usage(
      fmt::format("--trace-limit {}: expected seconds from {:g}s to {:g}s, or batches from "
                  "1 to {}",
                  text, kShortestTrace, kLongestSeconds, kMostBatches));
}

// Returns VIRNUCPRO_CUPTI. Refuses the path of a missing file now, before hours of computing.
// Accepts any name without a folder, because the loader searches for it.
std::string choose_cupti(const Environment& environment) {
  constexpr std::string_view kVariable = "VIRNUCPRO_CUPTI";
  const std::string path = environment.text(kVariable);
  std::error_code ignored;
  const bool is_path = path.find('/') != std::string::npos;
  if (!is_path || std::filesystem::is_regular_file(path, ignored)) return path;
  fail_usage(fmt::format("{} {}: there is no such file; give the path of the CUPTI library",
                         kVariable, path));
}

constexpr double kShortestInterval = 0.05;  // seconds; also used for 0, which v2 accepts

std::vector<std::string> worker_names(const ComputeSettings& compute) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < compute.gpus.size(); ++i) names.push_back(worker_name(compute, i));
  if (!names.empty()) return names;
  for (std::size_t i = 0; i < compute.cpu_workers; ++i)
    names.push_back(fmt::format("worker {}", i));
  return names;
}

}  // namespace

ProgramFacts program_facts(const Session& session) {
  return {.command = session.arguments,
          .build = build_text(),
          .commit = build_commit(),
          .processor = describe_processor()};
}

TelemetrySettings choose_telemetry(const std::string& option, bool has_directory,
                                   const Session& session) {
  TelemetrySettings telemetry;
  const TelemetryLevel level = choose_level(option, session.config);
  telemetry.level = has_directory ? level : TelemetryLevel::kOff;
  telemetry.interval = std::chrono::milliseconds(
      std::lround(1000 * session.config.number_in("run.monitor_interval", 0.5, kShortestSampling,
                                                  kLongestSeconds)));
  telemetry.thresholds = choose_thresholds(session.config);
  telemetry.program = program_facts(session);
  return telemetry;
}

void add_trace_options(Command& command, TraceOptions& options, const std::string& group) {
  command
      .add_value("--trace", options.file,
                 "Write a timeline of threads and GPU kernels to this file, for ui.perfetto.dev",
                 "FILE", group)
      .written = {""};
  command.add_value(
      "--trace-limit", options.limit,
      "Length of the trace: seconds (30s) or batches (200) from the first batch (default 10s)",
      "LIMIT", group);
}

std::optional<TraceSettings> choose_trace(const TraceOptions& options,
                                          const Environment& environment,
                                          const std::filesystem::path& output) {
  if (options.file.empty() && !options.limit.empty()) {
    fail_usage("--trace-limit needs --trace");
  }
  if (options.file.empty()) return std::nullopt;
  check_own_file(
      {.flag = "--trace", .path = options.file, .start = kTraceFileStart, .what = "trace"}, output);
  return TraceSettings{
      .limit = parse_limit(options.limit.empty() ? kDefaultLimit : options.limit.c_str()),
      .cupti = choose_cupti(environment)};
}

std::optional<ProgressSettings> choose_progress(bool no_progress, const ComputeSettings& compute,
                                                const Session& session) {
  const Config& config = session.config;
  const double interval = config.number_in("progress.update_interval", 1, 0, kLongestSeconds);
  ProgressSettings settings;
  settings.interval =
      std::chrono::milliseconds(std::lround(1000 * std::max(interval, kShortestInterval)));
  settings.look.bar_width = config.count("progress.bar_width").value_or(settings.look.bar_width);
  settings.look.workers = worker_names(compute);
  settings.on_gpu = !compute.gpus.empty();
  const bool wanted = config.flag("progress.enabled").value_or(true);
  if (session.global.quiet || no_progress || !wanted) return std::nullopt;
  return settings;
}

}  // namespace virnucpro
