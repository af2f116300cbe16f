#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "observe/batch_metrics.hpp"
#include "report/page_sections.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {
namespace {

// Returns the rate per second over time. `amounts` has one value per interval.
std::vector<PlotPoint> rate_over_time(const RunTelemetry::OverTime& recorded,
                                      const std::vector<std::uint64_t>& amounts) {
  const double interval = recorded.interval_seconds.value_or(0);
  if (interval <= 0) return {};
  TimeBins bins;
  for (std::size_t k = 0; k < amounts.size(); ++k) {
    const double begin = static_cast<double>(k) * interval;
    bins.spread(begin, begin + interval, static_cast<double>(amounts[k]));
  }
  return bins.rates();
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
                   {"busy_share", "Busy share", Measure::kShare},
                   {"memory_reserved_bytes", "GPU memory reserved", Measure::kBytes},
                   {"memory_used_bytes", "GPU memory used", Measure::kBytes},
                   {"memory_peak_bytes", "Most GPU memory used", Measure::kBytes}};
  add_rows(facts.telemetry.workers, table);
  return table;
}

Plot worker_plot(const BatchFacts& batches) {
  Plot plot = over_time("workers_over_time", "Throughput of each worker", "ESM-2 tokens a second",
                        Measure::kNone);
  for (const auto& [index, tokens] : batches.esm_tokens_by_worker) {
    plot.lines.push_back({fmt::format("worker {}", index), tokens.rates()});
  }
  return plot;
}

// The measures of the gauges' units, in the order of GaugeUnit.
constexpr std::array kMeasures{Measure::kPercent, Measure::kWatts, Measure::kBytes,
                               Measure::kCelsius, Measure::kMegahertz};
static_assert(kMeasures.size() == static_cast<std::size_t>(GaugeUnit::kMegahertz) + 1);

// Calls visit(name, words, measure, value) for each of a GPU's gauges, in the page's order.
template <typename Value, typename Visit>
void for_each_gauge(const GpuGauges<Value>& values, const Visit& visit) {
  for (std::size_t unit = 0; unit < kMeasures.size(); ++unit) {
    for_each_pair(kGpuGauges, values,
                  [&](std::string_view name, const GaugeWords& words, const Value& value) {
                    if (static_cast<std::size_t>(words.unit) == unit)
                      visit(name, words, kMeasures[unit], value);
                  });
  }
}

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

void add_gauge(const RunTelemetry::Text& device, const RunTelemetry::Text& phase,
               std::string_view label, Measure unit, const Statistic& gauge, Table& table) {
  if (gauge.samples == 0) return;
  const auto text = [unit](double value) { return value_text(value, unit); };
  table.rows.push_back({device.value_or(""), phase.value_or(""), std::string(label),
                        text(gauge.average), text(gauge.minimum), text(gauge.maximum),
                        static_cast<double>(gauge.samples)});
}

Table measured_table(const RunFacts& facts) {
  Table table = gauge_table();
  for (const RunTelemetry::Device& device : facts.telemetry.devices) {
    for (const RunTelemetry::DevicePhase& phase : device.phases) {
      for_each_gauge<Statistic>(phase, [&](std::string_view, const GaugeWords& words, Measure unit,
                                           const Statistic& gauge) {
        add_gauge(device.id, phase.phase, words.label, unit, gauge, table);
      });
    }
  }
  for (const RunTelemetry::HostPhase& phase : facts.telemetry.host.phases) {
    add_gauge("host", phase.phase, "CPU", Measure::kPercent, phase.cpu_percent, table);
    add_gauge("host", phase.phase, "Memory", Measure::kBytes, phase.rss_bytes, table);
  }
  return table;
}

void add_device_plots(const MetricFacts& metrics, Section& section) {
  GpuGauges<std::vector<PlotLine>> lines;
  for (std::size_t k = 0; k < metrics.devices.size(); ++k) {
    const auto add = [&](std::string_view, const TimeBins& bins, std::vector<PlotLine>& of_gauge) {
      std::vector<PlotPoint> points = bins.means();
      if (!points.empty()) of_gauge.push_back({metrics.summary.devices[k].id, std::move(points)});
    };
    for_each_pair(metrics.devices[k], lines, add);
  }
  for_each_gauge(lines, [&](std::string_view name, const GaugeWords& words, Measure unit,
                            const std::vector<PlotLine>& of_gauge) {
    if (!words.is_plotted || of_gauge.empty()) return;
    const std::string label(words.label);
    section.plots.push_back(over_time(std::string(name), label + " of the devices", label, unit));
    section.plots.back().lines = of_gauge;
  });
}

void add_host_plots(const HostBins& host, Section& section) {
  const auto add = [&section](const char* key, const char* title, const char* y_label, Measure unit,
                              const TimeBins& bins) {
    std::vector<PlotPoint> points = bins.means();
    if (points.empty()) return;
    Plot plot = over_time(key, title, y_label, unit);
    plot.lines = {{"host", std::move(points)}};
    section.plots.push_back(std::move(plot));
  };
  add("process_cpu_percent", "Processor time (100 % is one core)", "processor time",
      Measure::kPercent, host.cpu);
  add("rss_bytes", "Host memory of the run's processes", "resident memory", Measure::kBytes,
      host.memory);
}

void add_word(const std::string& word, std::string& words) {
  if (word.empty() || words.find(word) != std::string::npos) return;
  if (!words.empty()) words += ", ";
  words += word;
}

Value throttle_words(const RunFacts& facts) {
  std::string words;
  const auto& devices = facts.telemetry.devices;
  for (const RunTelemetry::Device& device : devices) {
    add_word(device.throttle_reasons.value_or(""), words);
  }
  if (devices.empty()) return {};
  return words.empty() ? "nothing" : words;
}

Plot queue_plot(const RunFacts& facts) {
  Plot plot{.key = "queue",
            .title = "State of the queue when a batch was added",
            .kind = PlotKind::kRows,
            .y_label = "batches",
            .unit = Measure::kCount};
  const auto add = [&plot](std::string_view name, const RunTelemetry::Count& batches) {
    const std::string state(name);
    if (batches) plot.bars.push_back({state, state, static_cast<double>(*batches)});
  };
  for_each_field(facts.telemetry.waits.queue, add);
  return plot;
}

Table stage_table(const RunFacts& facts) {
  Table table{.key = "stages", .caption = "Stages, and the clock that measured each"};
  table.columns = {{"name", "Stage"},
                   {"clock", "Clock"},
                   {"seconds", "Time", Measure::kSeconds},
                   {"share", "Share", Measure::kShare},
                   {"utilization_percent", "GPU utilisation", Measure::kPercent},
                   {"tokens_per_second", "Tokens of the stage's model", Measure::kPerSecond}};
  add_rows(facts.telemetry.stages, table);
  return table;
}

Plot stage_plot(const std::vector<RunTelemetry::Stage>& stages) {
  Plot plot{.key = "seconds_by_stage",
            .title = "Time of each stage",
            .kind = PlotKind::kRows,
            .y_label = "time by the device's or the host's clock",
            .unit = Measure::kSeconds};
  for (const RunTelemetry::Stage& stage : stages) {
    const std::string name = value_text(measured(stage.name), Measure::kNone);
    if (stage.seconds) plot.bars.push_back({name, name, *stage.seconds});
  }
  return plot;
}

// Plots the share of compared calls that would change. Calls are grouped by the smallest logit
// error that would change them (CallMargin::distance()).
Plot shadow_plot(const RunTelemetry::Shadow& shadow) {
  Plot plot{.key = "changed_by_distance",
            .title = "Compared calls that would change",
            .kind = PlotKind::kBars,
            .x_label = "smallest logit error that would change the call",
            .y_label = "share of the compared calls",
            .unit = Measure::kShare};
  for (const RunTelemetry::Shadow::Stratum& stratum : shadow.strata) {
    const auto sampled = static_cast<double>(stratum.sampled.value_or(0));
    if (sampled == 0) continue;
    const double from = stratum.from_logits.value_or(0);
    const auto changed = static_cast<double>(stratum.changed.value_or(0));
    plot.bars.push_back({fmt::format("{:.2g}", from),
                         fmt::format("from {:.3g} logits: {:.0f} of {:.0f} calls would change",
                                     from, changed, sampled),
                         changed / sampled});
  }
  return plot;
}

void add_shadow(const RunTelemetry::Shadow& shadow, Section& section) {
  section.fields.insert(
      section.fields.end(),
      {{"shadow_chunks", "Chunks not computed again", measured(shadow.chunks), Measure::kCount},
       {"shadow_sampled", "Chunks compared", measured(shadow.sampled), Measure::kCount},
       {"shadow_changed", "Calls that would change (estimate for all)", measured(shadow.changed)},
       {"shadow_changed_low", "Lower end of the 95 % interval", measured(shadow.changed_low)},
       {"shadow_changed_high", "Upper end of the 95 % interval", measured(shadow.changed_high)},
       {"logit_rms", "Root mean square of the logit errors", measured(shadow.logit_rms)},
       {"logit_largest", "Largest logit error", measured(shadow.logit_largest)},
       {"centred_cosine", "Centred cosine of ESM-2's embeddings",
        measured(shadow.centred_cosine)}});
  section.plots = {shadow_plot(shadow)};
  Table table{.key = "strata", .caption = "Chunks that were not computed again"};
  table.columns = {{"from_logits", "Smallest logit error that would change the call"},
                   {"share", "Compared share", Measure::kShare},
                   {"chunks", "Chunks", Measure::kCount},
                   {"sampled", "Compared", Measure::kCount},
                   {"changed", "Would change", Measure::kCount}};
  add_rows(shadow.strata, table);
  section.tables = {std::move(table)};
}

// Returns the verdicts that were not skipped.
std::vector<RunTelemetry::Verdict> judged_of(const std::vector<RunTelemetry::Verdict>& verdicts) {
  std::vector<RunTelemetry::Verdict> judged;
  std::ranges::copy_if(verdicts, std::back_inserter(judged),
                       [](const RunTelemetry::Verdict& verdict) {
                         return verdict.status != name_of(VerdictStatus::kSkipped);
                       });
  return judged;
}

}  // namespace

std::vector<PlotPoint> throughput_of(const RunFacts& facts) {
  const RunTelemetry::OverTime& recorded = facts.telemetry.throughput.over_time;
  return rate_over_time(recorded, recorded.esm_tokens);
}

Section verdict_section(const RunFacts& facts) {
  Section section{.key = "verdicts", .title = "Verdicts"};
  Table table{.key = "verdicts", .caption = "Requirements that were judged"};
  table.columns = {{"status", "Verdict", Measure::kStatus},
                   {"id", "No."},
                   {"name", "What"},
                   {"value", "Value"},
                   {"unit", "Unit"},
                   {"bar", "Asked for"},
                   {"detail", "Remark"}};
  const std::vector<RunTelemetry::Verdict> judged = judged_of(facts.telemetry.verdicts);
  add_rows(judged, table);
  const std::size_t skipped = facts.telemetry.verdicts.size() - judged.size();
  if (!facts.has_summary) {
    section.note = "No verdicts: telemetry_<time>.json is missing or cannot be read.";
  } else if (skipped > 0) {
    section.note = fmt::format(
        "{} of {} requirements could not be judged by this run; telemetry_<time>.json says why.",
        skipped, facts.telemetry.verdicts.size());
  }
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  Table causes{.key = "bottlenecks", .caption = "What slowed the run down"};
  causes.columns = {{"stage", "Stage"},
                    {"share", "Share", Measure::kShare},
                    {"cause", "Cause"},
                    {"advice", "Advice"}};
  add_rows(facts.telemetry.bottlenecks, causes);
  if (!causes.rows.empty()) section.tables.push_back(std::move(causes));
  return section;
}

Section throughput_section(const RunFacts& facts) {
  const RunTelemetry& recorded = facts.telemetry;
  const RunTelemetry::Throughput& rates = recorded.throughput;
  Section section{.key = "throughput", .title = "Throughput"};
  section.fields = {
      {"seconds", "Time", measured(recorded.run.seconds), Measure::kSeconds},
      {"models_ready_seconds", "Models ready after", measured(recorded.run.models_ready_seconds),
       Measure::kSeconds},
      {"sequences_per_second", "Sequences", measured(rates.sequences_per_second),
       Measure::kPerSecond},
      {"frames_per_second", "Frames", measured(rates.frames_per_second), Measure::kPerSecond},
      {"esm_tokens_per_second", "ESM-2 tokens", measured(rates.esm_tokens_per_second),
       Measure::kPerSecond},
      {"tokens_per_second", "Tokens of both models", measured(rates.tokens_per_second),
       Measure::kPerSecond}};
  Plot tokens = over_time("esm_tokens_over_time", "Throughput in tokens", "ESM-2 tokens a second",
                          Measure::kNone);
  tokens.lines = {{"ESM-2 tokens a second", throughput_of(facts)}};
  Plot frames =
      over_time("frames_over_time", "Throughput in frames", "frames a second", Measure::kNone);
  frames.lines = {{"frames a second", rate_over_time(rates.over_time, rates.over_time.frames)}};
  section.plots = {std::move(tokens), std::move(frames)};
  if (facts.batches.esm_tokens_by_worker.size() > 1)
    section.plots.push_back(worker_plot(facts.batches));
  if (Table workers = worker_table(facts); !workers.rows.empty()) {
    section.tables.push_back(std::move(workers));
  }
  return section;
}

Section device_section(const RunFacts& facts) {
  Section section{.key = "devices", .title = "Devices and host"};
  const RunTelemetry::Host& host = facts.telemetry.host;
  section.fields = {
      {"throttle_reasons", "GPU clock limited by", throttle_words(facts)},
      {"peak_rss_bytes", "Host memory at its peak", measured(host.peak_rss_bytes), Measure::kBytes},
      {"read_bytes", "Read", measured(host.read_bytes), Measure::kBytes},
      {"written_bytes", "Written", measured(host.written_bytes), Measure::kBytes}};
  add_device_plots(facts.metrics, section);
  add_host_plots(facts.metrics.host, section);
  if (Table table = measured_table(facts); !table.rows.empty()) {
    section.tables.push_back(std::move(table));
  }
  return section;
}

Section packing_section(const RunFacts& facts) {
  const RunTelemetry& recorded = facts.telemetry;
  const RunTelemetry::Waits& waited = recorded.waits;
  Section section{.key = "packing", .title = "Packing and waits"};
  section.fields = {
      {"batches", "Batches", measured(recorded.workload.batches), Measure::kCount},
      {"packing", "Packing", measured(recorded.packing.efficiency), Measure::kShare},
      {"least_packing", "Least packed batch", measured(recorded.packing.least), Measure::kShare},
      {"batches_below_80_percent", "Batches below 80 %",
       measured(recorded.packing.batches_below_80_percent), Measure::kCount},
      {"average_seconds", "Average wait", measured(waited.average_seconds), Measure::kSeconds},
      {"p50_seconds", "Median wait", measured(waited.p50_seconds), Measure::kSeconds},
      {"p95_seconds", "95th percentile of the waits", measured(waited.p95_seconds),
       Measure::kSeconds},
      {"max_seconds", "Longest wait", measured(waited.max_seconds), Measure::kSeconds}};
  Plot packing =
      over_time("packing_over_time", "Packing", "share of the token budget", Measure::kShare);
  packing.lines = {{"packing", facts.batches.packing.means()}};
  Plot waits = over_time("waits_over_time", "Longest wait for a batch", "wait", Measure::kSeconds);
  waits.lines = {{"longest wait", facts.batches.waiting.maxima()}};
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
  section.plots = {stage_plot(facts.telemetry.stages)};
  section.tables = {std::move(table)};
  return section;
}

Section shard_section(const RunFacts& facts) {
  const auto& shards = facts.telemetry.shards.value();
  Section section{.key = "shards", .title = "Shards"};
  const auto measured_shards = std::ranges::count_if(
      shards, [](const auto& shard) { return shard.sessions.value_or(0) > 0; });
  section.note =
      "The run was merged from these shards. Counts are sums over the shards. The time is the time "
      "in which at least one shard ran; a rate is the work of all shards divided by the time in "
      "which at least one shard computed.";
  section.fields = {{"shards", "Shards", std::uint64_t{shards.size()}, Measure::kCount},
                    {"measured_shards", "Shards with telemetry",
                     static_cast<std::uint64_t>(measured_shards), Measure::kCount},
                    {"hosts", "Hosts", measured(facts.telemetry.machine.host)}};
  Table table{.key = "shards", .caption = "Shards"};
  table.columns = {{"shard", "Shard"},
                   {"directory", "Directory"},
                   {"started", "Started"},
                   {"sessions", "Sessions", Measure::kCount},
                   {"seconds", "Time", Measure::kSeconds},
                   {"host", "Host"},
                   {"gpus", "GPUs"},
                   {"sequences", "Sequences", Measure::kCount},
                   {"esm_tokens", "ESM-2 tokens", Measure::kCount},
                   {"esm_tokens_per_second", "Tokens a second", Measure::kPerSecond}};
  add_rows(shards, table);
  section.tables.push_back(std::move(table));
  return section;
}

Section precision_section(const RunFacts& facts) {
  const RunTelemetry& recorded = facts.telemetry;
  Section section{.key = "precision", .title = "Calls and precision"};
  section.note = fmt::format(
      "Chunks with a close call were computed again in {}, and their new scores are used. If the "
      "run was resumed, only the chunks of its last session are counted.",
      recorded.settings.check_precision.value_or(""));
  const RunTelemetry::CloseCalls& calls = recorded.close_calls;
  section.fields = {
      {"close_calls", "Chunks computed again", measured(calls.recomputed), Measure::kCount},
      {"close_of", "Chunks checked", measured(calls.chunks), Measure::kCount},
      {"close_esm_tokens", "ESM-2 tokens computed again", measured(calls.esm_tokens),
       Measure::kCount},
      {"close_changed", "Calls that changed", measured(calls.changed), Measure::kCount}};
  if (recorded.shadow.chunks) add_shadow(recorded.shadow, section);
  return section;
}

}  // namespace virnucpro
