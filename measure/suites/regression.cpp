#include "measure/suites/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestHistoryLine = 8U << 20U;  // bytes; a line has a benchmark's figures
constexpr std::size_t kMostMetrics = 1000;
constexpr std::size_t kMostRuns = 200;  // a trend shows the last 200 runs

constexpr double kV2Gigabyte = 1U << 30U;
constexpr std::size_t kMostV2Gpus = 64;
constexpr std::array<std::string_view, 3> kBetterNames{"higher", "lower", "same"};

std::string_view name_of(Better better) {
  return kBetterNames.at(static_cast<std::size_t>(better));
}

std::optional<Better> better_named(std::string_view name) {
  const auto* const found = std::ranges::find(kBetterNames, name);
  if (found == kBetterNames.end()) return std::nullopt;
  return static_cast<Better>(found - kBetterNames.begin());
}

double ratio_within_bounds(double a, double b) {
  if (a == b) return 1;
  return b > 0 ? std::clamp(a / b, 1 / kMostRatio, kMostRatio) : kMostRatio;
}

// Returns how many times worse `now` is than `before`. With Better::kSame, any change is worse.
double times_slower(Better better, double before, double now) {
  if (better == Better::kSame) {
    return ratio_within_bounds(std::max(before, now), std::min(before, now));
  }
  return better == Better::kHigher ? ratio_within_bounds(before, now)
                                   : ratio_within_bounds(now, before);
}

double better_quartile(const KeptMetric& metric) {
  return metric.better == Better::kHigher ? metric.spread.high_quartile
                                          : metric.spread.low_quartile;
}

double worse_quartile(const KeptMetric& metric) {
  return metric.better == Better::kHigher ? metric.spread.low_quartile
                                          : metric.spread.high_quartile;
}

Change kind_of(const KeptMetric& before, const KeptMetric& now, double slower) {
  const double bar = now.better == Better::kSame ? kSameRatio : kRegressionRatio;
  if (slower <= bar && slower >= 1 / bar) return Change::kSame;
  const bool is_worse = slower > 1;
  if (before.counted && now.counted) return is_worse ? Change::kRegression : Change::kBetter;
  const auto tells = [](const KeptMetric& metric) {
    return metric.spread.count > 1 && !metric.brief;
  };
  if (!tells(before) || !tells(now)) return Change::kUnclear;
  const KeptMetric& bad = is_worse ? now : before;
  const KeptMetric& good = is_worse ? before : now;
  if (times_slower(now.better, worse_quartile(good), better_quartile(bad)) <= 1) {
    return Change::kUnclear;
  }
  return is_worse ? Change::kRegression : Change::kBetter;
}

std::optional<KeptMetric> metric_at(const JsonValues& values, const std::string& path) {
  const auto key = values.text(path + "key");
  const auto better = better_named(values.text(path + "better").value_or(""));
  const auto median = values.number(path + "median");
  if (!key || !better || !median) return std::nullopt;
  const Spread spread{.count = values.count(path + "repeats").value_or(1),
                      .median = *median,
                      .low_quartile = values.number(path + "low_quartile").value_or(*median),
                      .high_quartile = values.number(path + "high_quartile").value_or(*median)};
  const bool is_possible = spread.low_quartile >= 0 && spread.low_quartile <= *median &&
                           *median <= spread.high_quartile && spread.count > 0;
  if (!is_possible) return std::nullopt;
  return KeptMetric{.key = *key,
                    .better = *better,
                    .spread = spread,
                    .brief = values.flag(path + "brief").value_or(false),
                    .counted = values.flag(path + "counted").value_or(false)};
}

// Returns the figures of v2's report under this program's names, with one repeat each. v2's models
// and settings are unknown, so no figure is judged.
KeptResults v2_results(const JsonValues& values) {
  KeptResults results{.time = values.text("metadata/timestamp").value_or(""),
                      .commit = "unknown (a report of v2)"};
  const auto add = [&](const std::string& path, const std::string& key, double unit = 1) {
    const auto value = values.number("performance/" + path);
    const Better better = key.ends_with("second") ? Better::kHigher : Better::kLower;
    if (value) results.metrics.push_back({key, better, spread_of({unit * *value})});
  };
  add("total_time", "end_to_end.seconds");
  add("memory_usage/peak", "end_to_end.gpu_peak_bytes", kV2Gigabyte);
  for (const int gpus : {1, 2, 4, 8}) {
    add(fmt::format("gpu_scaling/{}", gpus), fmt::format("scaling.{}.seconds", gpus));
  }
  add("stage_throughput/translation/seq_per_sec", "throughput.translate.sequences_per_second");
  add("stage_throughput/dnabert/seq_per_sec", "throughput.dnabert_s.sequences_per_second");
  add("stage_throughput/esm2/seq_per_sec", "throughput.esm2.sequences_per_second");
  return results;
}

KeptResults results_of(const JsonValues& values) {
  if (values.elements("metrics") == 0) return v2_results(values);
  const auto text = [&values](const char* path) { return values.text(path).value_or(""); };
  KeptResults results{.time = text("time"),
                      .commit = text("commit"),
                      .build = text("build"),
                      .host = text("host"),
                      .driver = text("driver"),
                      .clock_mhz = values.number("clock_mhz").value_or(0),
                      .identity = {.device = text("identity/device"),
                                   .models = text("identity/models"),
                                   .settings = text("identity/settings")}};
  const std::size_t metrics = std::min(values.elements("metrics"), kMostMetrics);
  for (std::size_t k = 0; k < metrics; ++k) {
    if (auto metric = metric_at(values, fmt::format("metrics/{}/", k))) {
      results.metrics.push_back(*std::move(metric));
    }
  }
  return results;
}

template <typename Fits>
const KeptResults* last_that(const std::vector<KeptResults>& history, const Fits& fits) {
  const auto found = std::find_if(history.rbegin(), history.rend(),
                                  [&fits](const KeptResults& kept) { return fits(kept.identity); });
  return found == history.rend() ? nullptr : &*found;
}

// Returns the last results of this identity. If there are none, returns the last results of the
// same work on another device, else empty results.
KeptResults last_comparable(const std::vector<KeptResults>& history,
                            const BenchmarkIdentity& identity) {
  const KeptResults* found = last_of(history, identity);
  if (found == nullptr) {
    found = last_that(history, [&](const auto& other) { return other.same_work(identity); });
  }
  return found == nullptr ? KeptResults{} : *found;
}

const KeptMetric* find(const std::vector<KeptMetric>& metrics, const std::string& key) {
  const auto found = std::ranges::find(metrics, key, &KeptMetric::key);
  return found == metrics.end() ? nullptr : &*found;
}

// True if a metric is of the same suite as `key`: keys begin with the suite's name and a dot.
bool has_suite_of(const std::vector<KeptMetric>& metrics, std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view suite = key.substr(0, dot + 1);
  return std::ranges::any_of(
      metrics, [suite](const KeptMetric& metric) { return metric.key.starts_with(suite); });
}

}  // namespace

std::string_view name_of(Change change) {
  constexpr std::array<std::string_view, 5> kNames{"same", "better", "unclear", "regression",
                                                   "not measured"};
  return kNames.at(static_cast<std::size_t>(change));
}

const KeptResults* last_of(const std::vector<KeptResults>& history,
                           const BenchmarkIdentity& identity) {
  return last_that(history, [&](const auto& other) { return other == identity; });
}

std::vector<KeptMetric> comparable(const std::vector<KeptMetric>& metrics,
                                   const BenchmarkIdentity& a, const BenchmarkIdentity& b) {
  std::vector<KeptMetric> found;
  for (const KeptMetric& metric : metrics) {
    if (a == b || (metric.counted && a.same_work(b))) found.push_back(metric);
  }
  return found;
}

MetricChange change_of(const KeptMetric& before, const KeptMetric& now) {
  const double slower = times_slower(now.better, before.spread.median, now.spread.median);
  return {.key = now.key,
          .before = before.spread.median,
          .now = now.spread.median,
          .slower = slower,
          .change = kind_of(before, now, slower)};
}

std::vector<MetricChange> changes_between(const std::vector<KeptMetric>& before,
                                          const std::vector<KeptMetric>& now) {
  std::vector<MetricChange> changes;
  for (const KeptMetric& metric : now) {
    const KeptMetric* const earlier = find(before, metric.key);
    if (earlier != nullptr) changes.push_back(change_of(*earlier, metric));
  }
  for (const KeptMetric& metric : before) {
    if (find(now, metric.key) != nullptr || !has_suite_of(now, metric.key)) continue;
    changes.push_back({.key = metric.key,
                       .before = metric.spread.median,
                       .slower = kMostRatio,
                       .change = Change::kMissing});
  }
  return changes;
}

std::vector<KeptMetric> kept(const std::vector<SuiteReport>& suites) {
  std::vector<KeptMetric> metrics;
  for (const SuiteReport& suite : suites) {
    for (const Metric& metric : suite.metrics) {
      metrics.push_back(
          {metric.key, metric.better, spread_of(metric.values), suite.brief, metric.counted});
    }
  }
  return metrics;
}

KeptResults read_results(const std::filesystem::path& file, const BenchmarkIdentity& identity) {
  const bool is_history = file.extension() == ".jsonl";
  KeptResults results = is_history ? last_comparable(read_history(file), identity)
                                   : results_of(JsonValues::read(file));
  if (results.metrics.empty()) {
    const std::string which = is_history ? fmt::format(" of these models and settings: {}; {}",
                                                       identity.models, identity.settings)
                                         : "";
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--compare-to {}: it holds no figures of a benchmark{}", file.string(), which));
  }
  return results;
}

Json json_of(const KeptResults& results) {
  std::vector<Json> metrics;
  for (const KeptMetric& metric : results.metrics) {
    metrics.push_back({{"key", metric.key},
                       {"better", name_of(metric.better)},
                       {"repeats", metric.spread.count},
                       {"median", metric.spread.median},
                       {"low_quartile", metric.spread.low_quartile},
                       {"high_quartile", metric.spread.high_quartile},
                       {"brief", metric.brief},
                       {"counted", metric.counted}});
  }
  return {{"time", results.time},
          {"commit", results.commit},
          {"build", results.build},
          {"host", results.host},
          {"driver", results.driver},
          {"clock_mhz", results.clock_mhz},
          {"identity",
           {{"device", results.identity.device},
            {"models", results.identity.models},
            {"settings", results.identity.settings}}},
          {"metrics", std::move(metrics)}};
}

std::string history_line(const KeptResults& results) {
  return json_of(results).dump() + "\n";
}

std::vector<KeptResults> read_history(const std::filesystem::path& file) {
  std::vector<KeptResults> history;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return history;
  const auto add = [&](std::string_view line) {
    try {
      history.push_back(results_of(JsonValues(line, file.string())));
    } catch (const Error&) {  // skips a line that a full disk has cut
    }
  };
  for_each_line(file, add, kLongestHistoryLine);
  return history;
}

Section change_section(const KeptResults& before, const std::vector<MetricChange>& changes) {
  Section section{.key = "changes", .title = "Compared with earlier figures"};
  section.note = fmt::format(
      "Earlier figures: {}, commit {}. A figure counts as worse if its median is over {:.0f} % "
      "worse and the quartiles of its repeats do not overlap. A count, such as of tokens, counts "
      "as worse if it changes by more than {:.0f} %, even without repeats.",
      before.time, before.commit, 100 * (kRegressionRatio - 1), 100 * (kSameRatio - 1));
  Table table{.key = "changes", .caption = "Figures"};
  table.columns = {{"figure", "Figure"},
                   {"before", "Before"},
                   {"now", "Now"},
                   {"slower", "Times worse"},
                   {"change", "Change"}};
  for (const MetricChange& change : changes) {
    table.rows.push_back({change.key, fmt::format("{:.5g}", change.before),
                          fmt::format("{:.5g}", change.now), fmt::format("{:.3f}", change.slower),
                          std::string(name_of(change.change))});
  }
  section.tables = {std::move(table)};
  return section;
}

Section trend_section(const std::vector<KeptResults>& history) {
  Section section{.key = "trend", .title = "Trend"};
  const std::size_t first = history.size() > kMostRuns ? history.size() - kMostRuns : 0;
  const KeptResults& last = history.back();
  for (const KeptMetric& metric : last.metrics) {
    Plot plot{.key = metric.key,
              .title = metric.key,
              .kind = PlotKind::kOverNumber,
              .x_label = "benchmark, the last on the right",
              .y_label = "median"};
    plot.lines = {{metric.key, {}}};
    double x = 0;
    for (std::size_t k = first; k < history.size(); ++k) {
      if (history[k].identity != last.identity) continue;
      const KeptMetric* const then = find(history[k].metrics, metric.key);
      if (then != nullptr) plot.lines[0].points.push_back({++x, then->spread.median});
    }
    if (plot.lines[0].points.size() > 1) section.plots.push_back(std::move(plot));
  }
  section.note = section.plots.empty()
                     ? "The history has no earlier figures of this machine, models and settings."
                     : "Benchmarks of the same machine, models and settings.";
  return section;
}

}  // namespace virnucpro
