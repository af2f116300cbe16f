#include "cli/progress_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "telemetry/telemetry_summary.hpp"

namespace virnucpro {
namespace {

constexpr double kShortestInterval = 0.05;  // seconds; also used for 0, which v2 accepts
constexpr double kLongestInterval = 3600;

std::vector<std::string> worker_names(const ComputeSettings& compute) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < compute.gpus.size(); ++i) names.push_back(worker_name(compute, i));
  if (!names.empty()) return names;
  for (std::size_t i = 0; i < compute.cpu_workers; ++i)
    names.push_back(fmt::format("worker {}", i));
  return names;
}

}  // namespace

std::optional<ProgressSettings> choose_progress(bool no_progress, const ComputeSettings& compute,
                                                const Session& session) {
  const Config& config = session.config;
  const double interval = config.number_in("progress.update_interval", 1, 0, kLongestInterval);
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
