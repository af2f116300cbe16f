#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "observe/batch_metrics.hpp"
#include "report/page_sections.hpp"
#include "report/single_run_page.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostRows = 64;  // of a table that telemetry names the rows of
constexpr std::size_t kMostLines = 6;  // of workers in one plot

constexpr const char* kOverTime = "throughput/over_time";

Value or_else(Value first, Value second) {
  return std::holds_alternative<std::monostate>(first) ? std::move(second) : std::move(first);
}

// Nothing is known where no batch was told of.
Value of_batches(const RunFacts& facts, double amount) {
  return facts.batches.batches == 0 ? Value{} : Value{amount};
}

Value per_second(const RunFacts& facts, std::uint64_t amount) {
  const double seconds = facts.batches.seconds;
  return seconds > 0 ? Value{static_cast<double>(amount) / seconds} : Value{};
}

Value share(double part, double whole) {
  return whole > 0 ? Value{part / whole} : Value{};
}

// A rate that the summary has a number of for each interval.
std::vector<PlotPoint> told_over_time(const JsonValues& summary, const char* member) {
  const double interval = summary.number(fmt::format("{}/interval_seconds", kOverTime)).value_or(0);
  const std::string path = fmt::format("{}/{}", kOverTime, member);
  TimeBins bins;
  for (std::size_t k = 0; interval > 0 && k < summary.elements(path); ++k) {
    const auto amount = summary.number(fmt::format("{}/{}", path, k));
    const double begin = static_cast<double>(k) * interval;
    if (amount) bins.spread(begin, begin + interval, *amount);
  }
  return bins.rates();
}

std::vector<PlotPoint> rate_over_time(const RunFacts& facts, const char* member,
                                      const TimeBins& batches) {
  std::vector<PlotPoint> told = told_over_time(facts.summary, member);
  return told.empty() ? batches.rates() : told;
}

Plot over_time(std::string key, std::string title, std::string y_label, Measure unit) {
  return {.key = std::move(key),
          .title = std::move(title),
          .kind = PlotKind::kOverTime,
          .y_label = std::move(y_label),
          .unit = unit};
}

Table worker_table(const RunFacts& facts) {
  Table table{.key = "workers", .caption = "Workers"};
  table.columns = {{"name", "Worker"},
                   {"batches", "Batches", Measure::kCount},
                   {"frames", "Frames", Measure::kCount},
                   {"esm_tokens", "ESM-2 tokens", Measure::kCount},
                   {"busy_seconds", "Busy", Measure::kSeconds},
                   {"waiting_seconds", "Waiting", Measure::kSeconds},
                   {"busy_share", "Busy share", Measure::kShare}};
  add_rows(facts.summary, "workers", table);
  if (!table.rows.empty()) return table;
  for (const auto& [index, worker] : facts.batches.workers) {
    table.rows.push_back({fmt::format("worker {}", index), worker.batches, worker.frames,
                          worker.esm_tokens, worker.busy, worker.waiting,
                          share(worker.busy, worker.busy + worker.waiting)});
  }
  return table;
}

Plot worker_plot(const BatchFacts& batches) {
  Plot plot = over_time("workers_over_time", "Throughput of each worker", "ESM-2 tokens a second",
                        Measure::kNone);
  for (const auto& [index, worker] : batches.workers) {
    if (plot.lines.size() == kMostLines) break;
    plot.lines.push_back({fmt::format("worker {}", index), worker.esm_tokens_over_time.rates()});
  }
  return plot;
}

// One thing that is measured of a device.
struct DeviceGauge {
  const char* key;
  const char* label;
  Measure unit;
  Gauge DeviceFacts::*gauge;
  bool plotted;
};
constexpr std::array kDeviceGauges{
    DeviceGauge{"utilization_percent", "Utilisation", Measure::kPercent, &DeviceFacts::utilization,
                true},
    DeviceGauge{"power_w", "Power", Measure::kWatts, &DeviceFacts::power, true},
    DeviceGauge{"memory_used_bytes", "Memory", Measure::kBytes, &DeviceFacts::memory, true},
    DeviceGauge{"temperature_c", "Temperature", Measure::kCelsius, &DeviceFacts::temperature,
                false},
    DeviceGauge{"sm_clock_mhz", "SM clock", Measure::kMegahertz, &DeviceFacts::clock, false},
};

Table gauge_table() {
  Table table{.key = "measured", .caption = "What was measured"};
  table.columns = {{"device", "Device"},
                   {"phase", "Phase"},
                   {"what", "What"},
                   {"average", "Average"},
                   {"minimum", "Minimum"},
                   {"maximum", "Maximum"},
                   {"samples", "Samples", Measure::kCount}};
  return table;
}

void add_told_gauge(const JsonValues& summary, const std::string& path, const std::string& device,
                    const std::string& phase, const char* label, Measure unit, Table& table) {
  if (!summary.number(path + "/average")) return;
  std::vector<Value> row{device, phase, label};
  for (const char* member : {"average", "minimum", "maximum"}) {
    row.emplace_back(value_text(measured(summary, path + "/" + member), unit));
  }
  row.push_back(measured(summary, path + "/samples"));
  table.rows.push_back(std::move(row));
}

void add_told_device(const JsonValues& summary, const std::string& path, Table& table) {
  const std::string id = summary.text(path + "/id").value_or("");
  const std::size_t phases = std::min(summary.elements(path + "/phases"), kMostRows);
  for (std::size_t k = 0; k < phases; ++k) {
    const std::string phase = fmt::format("{}/phases/{}", path, k);
    for (const DeviceGauge& gauge : kDeviceGauges) {
      add_told_gauge(summary, phase + "/" + gauge.key, id,
                     summary.text(phase + "/phase").value_or(""), gauge.label, gauge.unit, table);
    }
  }
}

void add_told_host(const JsonValues& summary, Table& table) {
  const std::size_t phases = std::min(summary.elements("host/phases"), kMostRows);
  for (std::size_t k = 0; k < phases; ++k) {
    const std::string phase = fmt::format("host/phases/{}", k);
    const std::string name = summary.text(phase + "/phase").value_or("");
    add_told_gauge(summary, phase + "/cpu_percent", "host", name, "CPU", Measure::kPercent, table);
    add_told_gauge(summary, phase + "/rss_bytes", "host", name, "Memory", Measure::kBytes, table);
  }
}

void add_gauge(const std::string& device, const char* label, Measure unit, const Gauge& gauge,
               Table& table) {
  if (gauge.samples == 0) return;
  table.rows.push_back({device, "whole run", label, value_text(gauge.average(), unit),
                        value_text(gauge.least, unit), value_text(gauge.most, unit),
                        gauge.samples});
}

Table measured_table(const RunFacts& facts) {
  Table table = gauge_table();
  const std::size_t devices = std::min(facts.summary.elements("devices"), kMostRows);
  for (std::size_t k = 0; k < devices; ++k) {
    add_told_device(facts.summary, fmt::format("devices/{}", k), table);
  }
  add_told_host(facts.summary, table);
  if (!table.rows.empty()) return table;
  for (const DeviceFacts& device : facts.metrics.devices) {
    for (const DeviceGauge& gauge : kDeviceGauges) {
      add_gauge(device.id, gauge.label, gauge.unit, device.*gauge.gauge, table);
    }
  }
  add_gauge("host", "CPU", Measure::kPercent, facts.metrics.host.cpu, table);
  add_gauge("host", "Memory", Measure::kBytes, facts.metrics.host.memory, table);
  return table;
}

void add_device_plots(const RunFacts& facts, Section& section) {
  for (const DeviceGauge& gauge : kDeviceGauges) {
    if (!gauge.plotted) continue;
    Plot plot = over_time(gauge.key, fmt::format("{} of the devices", gauge.label), "", gauge.unit);
    for (const DeviceFacts& device : facts.metrics.devices) {
      const Gauge& values = device.*gauge.gauge;
      if (values.samples > 0) plot.lines.push_back({device.id, values.over_time.means()});
    }
    if (!plot.lines.empty()) section.plots.push_back(std::move(plot));
  }
}

void add_host_plots(const HostFacts& host, Section& section) {
  const auto add = [&section](const char* key, const char* title, Measure unit,
                              const Gauge& gauge) {
    if (gauge.samples == 0) return;
    Plot plot = over_time(key, title, "", unit);
    plot.lines = {{"host", gauge.over_time.means()}};
    section.plots.push_back(std::move(plot));
  };
  add("process_cpu_percent", "Processor time (100 % is one core)", Measure::kPercent, host.cpu);
  add("rss_bytes", "Resident memory of the host", Measure::kBytes, host.memory);
}

void add_word(const std::string& word, std::string& words) {
  if (word.empty() || words.find(word) != std::string::npos) return;
  if (!words.empty()) words += ", ";
  words += word;
}

Value throttle_words(const RunFacts& facts) {
  std::string words;
  const std::size_t devices = std::min(facts.summary.elements("devices"), kMostRows);
  for (std::size_t k = 0; k < devices; ++k) {
    add_word(facts.summary.text(fmt::format("devices/{}/throttle_reasons", k)).value_or(""), words);
  }
  for (const DeviceFacts& device : facts.metrics.devices) {
    for (const std::string& reason : device.throttled_by) add_word(reason, words);
  }
  if (devices == 0 && facts.metrics.devices.empty()) return {};
  return words.empty() ? "nothing" : words;
}

Plot queue_plot(const RunFacts& facts) {
  Plot plot{.key = "queue",
            .title = "Batches that waited when one was taken",
            .kind = PlotKind::kRows,
            .y_label = "batches",
            .unit = Measure::kCount};
  for (const std::string_view name : kQueueStateNames) {
    const std::string state(name);
    const auto told = facts.summary.number(fmt::format("waits/queue/{}", state));
    const auto found = facts.batches.queue_states.find(state);
    const bool counted = found != facts.batches.queue_states.end();
    if (!told && !counted) continue;
    plot.bars.push_back({state, state, told ? *told : static_cast<double>(found->second)});
  }
  return plot;
}

// The summary's stages, with a row each; else what the batches add up to.
Table stage_table(const RunFacts& facts) {
  Table table{.key = "stages", .caption = "Time per stage"};
  table.columns = {{"name", "Stage"},
                   {"clock", "Clock"},
                   {"seconds", "Time", Measure::kSeconds},
                   {"share", "Share", Measure::kShare}};
  add_rows(facts.summary, "stages", table);
  if (!table.rows.empty()) return table;
  double all = 0;
  for (const auto& [name, seconds] : facts.batches.stages) all += seconds;
  for (const auto& [name, seconds] : facts.batches.stages) {
    table.rows.push_back(
        {name, name == "journal" ? "host" : "device", seconds, share(seconds, all)});
  }
  return table;
}

Plot stage_plot(const Table& stages) {
  Plot plot{.key = "seconds_by_stage",
            .title = "Time per stage",
            .kind = PlotKind::kRows,
            .y_label = "of the device's and the host's clock",
            .unit = Measure::kSeconds};
  for (const auto& row : stages.rows) {
    const auto* seconds = std::get_if<double>(&row[2]);
    const std::string name = value_text(row[0], Measure::kNone);
    if (seconds != nullptr) plot.bars.push_back({name, name, *seconds});
  }
  return plot;
}

}  // namespace

Value measured(const JsonValues& values, const std::string& path) {
  const auto number = values.number(path);
  return number ? Value{*number} : Value{};
}

Value words(const JsonValues& values, const std::string& path) {
  auto text = values.text(path);
  return text ? Value{*std::move(text)} : Value{};
}

Value told(const JsonValues& values, const std::string& path) {
  return or_else(words(values, path), measured(values, path));
}

void add_rows(const JsonValues& summary, const std::string& array, Table& table) {
  const std::size_t rows = std::min(summary.elements(array), kMostRows);
  for (std::size_t k = 0; k < rows; ++k) {
    std::vector<Value> row;
    for (const Column& column : table.columns) {
      row.push_back(told(summary, fmt::format("{}/{}/{}", array, k, column.key)));
    }
    table.rows.push_back(std::move(row));
  }
}

RunFigures figures_of(const RunFacts& facts) {
  const JsonValues& told = facts.summary;
  const BatchFacts& batches = facts.batches;
  const double batch_count = static_cast<double>(batches.batches);
  const auto waited = batches.stages.find("waiting");
  const bool knows_waits = waited != batches.stages.end() && batches.batches > 0;
  RunFigures figures;
  figures.seconds = or_else(measured(told, "run/seconds"), of_batches(facts, batches.seconds));
  figures.sequences_per_second = measured(told, "throughput/sequences_per_second");
  figures.frames_per_second =
      or_else(measured(told, "throughput/frames_per_second"), per_second(facts, batches.frames));
  figures.esm_tokens_per_second = or_else(measured(told, "throughput/esm_tokens_per_second"),
                                          per_second(facts, batches.esm_tokens));
  figures.packing = or_else(
      measured(told, "packing/efficiency"),
      share(static_cast<double>(batches.esm_tokens), static_cast<double>(batches.budget_tokens)));
  figures.average_wait = or_else(measured(told, "waits/average_seconds"),
                                 knows_waits ? Value{waited->second / batch_count} : Value{});
  return figures;
}

std::vector<PlotPoint> throughput_of(const RunFacts& facts) {
  return rate_over_time(facts, "esm_tokens", facts.batches.esm_tokens_over_time);
}

Section verdict_section(const RunFacts& facts) {
  Section section{.key = "verdicts", .title = "Verdicts"};
  Table table{.key = "verdicts", .caption = "Verdicts"};
  table.columns = {{"status", "Verdict", Measure::kStatus},
                   {"id", "No."},
                   {"name", "What"},
                   {"value", "Value"},
                   {"unit", "Unit"},
                   {"bar", "Asked for"},
                   {"detail", "Remark"}};
  add_rows(facts.summary, "verdicts", table);
  if (table.rows.empty()) {
    section.note = "No verdicts: the telemetry has no summary.";
  } else {
    section.tables.push_back(std::move(table));
  }
  Table causes{.key = "bottlenecks", .caption = "What held the run up"};
  causes.columns = {{"stage", "Stage"},
                    {"share", "Share", Measure::kShare},
                    {"cause", "Cause"},
                    {"advice", "Advice"}};
  add_rows(facts.summary, "bottlenecks", causes);
  if (!causes.rows.empty()) section.tables.push_back(std::move(causes));
  return section;
}

Section throughput_section(const RunFacts& facts) {
  const RunFigures figures = figures_of(facts);
  Section section{.key = "throughput", .title = "Throughput"};
  section.fields = {
      {"seconds", "Time", figures.seconds, Measure::kSeconds},
      {"models_ready_seconds", "Models ready after",
       measured(facts.summary, "run/models_ready_seconds"), Measure::kSeconds},
      {"sequences_per_second", "Sequences", figures.sequences_per_second, Measure::kPerSecond},
      {"frames_per_second", "Frames", figures.frames_per_second, Measure::kPerSecond},
      {"esm_tokens_per_second", "ESM-2 tokens", figures.esm_tokens_per_second, Measure::kPerSecond},
      {"tokens_per_second", "Tokens of both models",
       or_else(measured(facts.summary, "throughput/tokens_per_second"),
               per_second(facts, facts.batches.esm_tokens + facts.batches.dna_tokens)),
       Measure::kPerSecond}};
  Plot tokens = over_time("esm_tokens_over_time", "ESM-2 tokens", "a second", Measure::kNone);
  tokens.lines = {{"ESM-2 tokens a second", throughput_of(facts)}};
  Plot frames = over_time("frames_over_time", "Frames", "a second", Measure::kNone);
  frames.lines = {
      {"frames a second", rate_over_time(facts, "frames", facts.batches.frames_over_time)}};
  section.plots = {std::move(tokens), std::move(frames)};
  if (facts.batches.workers.size() > 1) section.plots.push_back(worker_plot(facts.batches));
  if (Table workers = worker_table(facts); !workers.rows.empty()) {
    section.tables.push_back(std::move(workers));
  }
  return section;
}

Section device_section(const RunFacts& facts) {
  Section section{.key = "devices", .title = "Devices and host"};
  section.fields = {
      {"throttle_reasons", "Clock held down by", throttle_words(facts)},
      {"peak_rss_bytes", "Host memory at its peak", measured(facts.summary, "host/peak_rss_bytes"),
       Measure::kBytes},
      {"read_bytes", "Read", measured(facts.summary, "host/read_bytes"), Measure::kBytes},
      {"written_bytes", "Written", measured(facts.summary, "host/written_bytes"), Measure::kBytes}};
  add_device_plots(facts, section);
  add_host_plots(facts.metrics.host, section);
  if (Table table = measured_table(facts); !table.rows.empty()) {
    section.tables.push_back(std::move(table));
  }
  return section;
}

Section packing_section(const RunFacts& facts) {
  const RunFigures figures = figures_of(facts);
  const BatchFacts& batches = facts.batches;
  Section section{.key = "packing", .title = "Packing and waits"};
  section.fields = {{"batches", "Batches",
                     or_else(measured(facts.summary, "workload/batches"),
                             of_batches(facts, static_cast<double>(batches.batches))),
                     Measure::kCount},
                    {"packing", "Packing", figures.packing, Measure::kShare},
                    {"average_seconds", "Average wait", figures.average_wait, Measure::kSeconds},
                    {"p50_seconds", "Half waited at most",
                     measured(facts.summary, "waits/p50_seconds"), Measure::kSeconds},
                    {"p95_seconds", "95 % waited at most",
                     measured(facts.summary, "waits/p95_seconds"), Measure::kSeconds},
                    {"max_seconds", "Longest wait",
                     or_else(measured(facts.summary, "waits/max_seconds"),
                             of_batches(facts, batches.longest_wait)),
                     Measure::kSeconds}};
  Plot packing = over_time("packing_over_time", "Packing", "tokens of the budget", Measure::kShare);
  packing.lines = {{"packing", batches.packing.means()}};
  Plot waits = over_time("waits_over_time", "Longest wait for a batch", "", Measure::kSeconds);
  waits.lines = {{"longest wait", batches.waiting.maxima()}};
  section.plots = {std::move(packing), std::move(waits)};
  if (Plot queue = queue_plot(facts); !queue.bars.empty())
    section.plots.push_back(std::move(queue));
  return section;
}

Section stage_section(const RunFacts& facts) {
  Section section{.key = "stages", .title = "Time per stage"};
  Table table = stage_table(facts);
  if (table.rows.empty()) {
    section.note = "Not measured.";
    return section;
  }
  section.plots = {stage_plot(table)};
  section.tables = {std::move(table)};
  return section;
}

}  // namespace virnucpro
