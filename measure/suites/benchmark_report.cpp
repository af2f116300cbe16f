#include "measure/suites/benchmark_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "measure/timing/spread.hpp"
#include "telemetry/telemetry_summary.hpp"

namespace virnucpro {
namespace {

constexpr const char* kSchema = "virnucpro-benchmark-1";
constexpr double kRequiredHours = 10;  // for kProjectedReads reads

std::size_t count_of(const std::vector<Verdict>& verdicts, VerdictStatus status) {
  return static_cast<std::size_t>(std::ranges::count(verdicts, status, &Verdict::status));
}

std::size_t judged_count(const std::vector<Verdict>& verdicts) {
  return verdicts.size() - count_of(verdicts, VerdictStatus::kSkipped);
}

// False if a suite has verdicts, but all of them are skipped.
bool all_suites_judged(const BenchmarkResults& results) {
  return std::ranges::all_of(results.suites, [](const SuiteReport& suite) {
    return suite.verdicts.empty() || judged_count(suite.verdicts) > 0;
  });
}

// Throws if all these verdicts are skipped. Some ids have a verdict for each number of GPUs.
void require_some_judged(const std::string& what, const std::vector<Verdict>& verdicts) {
  if (judged_count(verdicts) > 0) return;
  throw Error(ErrorKind::kNotJudged,
              fmt::format("{}: {}", what,
                          verdicts.empty() ? "the chosen suites gave no verdict with this id"
                                           : verdicts.front().detail));
}

std::vector<std::string> failures_of(const BenchmarkResults& results, const BenchmarkEnd& end) {
  std::vector<std::string> failures;
  for (const Verdict& verdict : all_verdicts(results)) {
    if (verdict.status == VerdictStatus::kMiss) failures.push_back(verdict_line(verdict));
  }
  for (const SuiteReport& suite : results.suites) {
    if (!suite.failure.empty()) failures.push_back(suite.name + ": " + suite.failure);
  }
  if (!end.against_failure.empty()) failures.push_back("--against: " + end.against_failure);
  for (const MetricChange& change : end.changes) {
    if (change.change != Change::kRegression) continue;
    failures.push_back(fmt::format("{}: {:.2f} times worse", change.key, change.slower));
  }
  return failures;
}

// Puts the status first, because a phone shows only two columns.
Table verdict_table(const std::vector<Verdict>& verdicts) {
  Table table{.key = "verdicts", .caption = "Measured figures and required figures"};
  table.columns = {{"status", "Status", Measure::kStatus},
                   {"name", "Requirement"},
                   {"value", "Measured"},
                   {"bar", "Wanted"},
                   {"detail", "Remark"},
                   {"id", "Id"}};
  for (const Verdict& verdict : verdicts) {
    table.rows.push_back(
        {std::string(name_of(verdict.status)), std::string(verdict.name),
         verdict.value ? Value{fmt::format("{:.4g} {}", *verdict.value, verdict.unit)} : Value{},
         verdict.bar, verdict.detail, std::string(verdict.id)});
  }
  return table;
}

Table metric_table(const BenchmarkResults& results) {
  Table table{.key = "figures", .caption = "Figures over all repeats"};
  table.columns = {{"key", "Figure"},
                   {"label", "Meaning"},
                   {"median", "Median"},
                   {"low", "Low quartile"},
                   {"high", "High quartile"},
                   {"least", "Least"},
                   {"most", "Most"},
                   {"repeats", "Repeats", Measure::kCount},
                   {"outliers", "Outliers", Measure::kCount}};
  for (const SuiteReport& suite : results.suites) {
    for (const Metric& metric : suite.metrics) {
      const Spread spread = spread_of(metric.values);
      const auto text = [&metric](double value) { return value_text(value, metric.unit); };
      table.rows.push_back({metric.key, metric.label, text(spread.median),
                            text(spread.low_quartile), text(spread.high_quartile),
                            text(spread.least), text(spread.most), std::uint64_t{spread.count},
                            std::uint64_t{spread.outliers}});
    }
  }
  table.can_be_filtered = true;
  return table;
}

Section machine_section(const BenchmarkSettings& settings, const BenchmarkFacts& facts) {
  Section section{.key = "machine", .title = "What was measured, and on which machine"};
  section.fields = fields_of(facts.provenance);
  const std::vector<Field> own{
      {"models", "models", facts.identity.models},
      {"precision", "precision", settings.precision},
      {"chunk_size", "chunk size", settings.chunk_size, Measure::kCount},
      {"threads", "threads", std::uint64_t{settings.threads}, Measure::kCount},
      {"data", "data",
       settings.samples.empty()
           ? fmt::format("{}: made-up coding sequences, lengths {}", settings.size.name,
                         lengths_text(settings.size.lengths))
           : fmt::format("real sequences, {} of them: {}", settings.size.sequences,
                         shown_text(fmt::format("{}", fmt::join(facts.samples, "; ")), 2000))}};
  section.fields.insert(section.fields.end(), own.begin(), own.end());
  section.preformatted = shown_text(facts.provenance.command, 10'000);
  return section;
}

Section suite_section(const SuiteReport& suite) {
  Section section = suite.section;
  if (!suite.failure.empty()) {
    section.note = fmt::format("The suite was not run to its end: {}. {}",
                               shown_text(suite.failure, 1000), section.note);
  }
  section.fields.push_back({"seconds", "time of the suite", suite.seconds, Measure::kSeconds});
  return section;
}

Json json_of(const V2Figures::Stage& stage) {
  Json json{{"time", stage.seconds}, {"seq_per_sec", stage.sequences_per_second}};
  if (stage.gpu_percent) json["gpu_util"] = *stage.gpu_percent;
  return json;
}

Json json_of(const std::optional<V2Figures::Equivalence>& equivalence) {
  if (!equivalence) return nullptr;
  return {{"predictions_match", equivalence->predictions_match},
          {"max_difference", equivalence->max_difference},
          {"mean_difference", equivalence->mean_difference},
          {"within_tolerance", equivalence->within_tolerance}};
}

Json by_count(const std::map<std::size_t, double>& values) {
  Json json = Json::object();
  for (const auto& [count, value] : values) json[std::to_string(count)] = value;
  return json;
}

Json performance_section(const V2Figures& v2) {
  Json stages = Json::object();
  for (const auto& [name, stage] : v2.stages) stages[name] = json_of(stage);
  return {{"gpu_scaling", by_count(v2.seconds_by_gpus)},
          {"speedups", by_count(v2.speedup_by_gpus)},
          {"stage_throughput", std::move(stages)},
          {"memory_usage", v2.memory},
          {"total_time", v2.total_seconds},
          {"projected_10k_time", v2.projected_10k_hours},
          {"projected_6m_time", v2.projected_hours}};
}

Json metadata_section(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                      const Statistic& clock) {
  std::vector<Json> gpus;
  for (const GpuId& gpu : settings.gpus) gpus.push_back(gpu.index);
  return {{"timestamp", facts.provenance.time},
          {"data_size", settings.size.name},
          {"num_sequences", settings.size.sequences},
          {"gpus_tested", std::move(gpus)},
          {"version", facts.provenance.version},
          {"build", facts.provenance.build},
          {"commit", facts.provenance.commit},
          {"host", facts.provenance.host},
          {"processor", facts.provenance.processor},
          {"devices", facts.provenance.devices},
          {"driver", facts.provenance.driver},
          {"sm_clock_mhz", clock.samples == 0 ? Json() : Json(clock.average)},
          {"command", facts.provenance.command},
          {"synthetic_weights", facts.synthetic},
          {"samples", facts.samples}};
}

Json suites_section(const BenchmarkResults& results) {
  std::vector<Json> json;
  for (const SuiteReport& suite : results.suites) {
    json.push_back({{"name", suite.name}, {"seconds", suite.seconds}, {"failure", suite.failure}});
  }
  return json;
}

Json changes_of(const std::vector<MetricChange>& changes) {
  std::vector<Json> json;
  for (const MetricChange& change : changes) {
    json.push_back({{"key", change.key},
                    {"before", change.before},
                    {"now", change.now},
                    {"slower", change.slower},
                    {"change", name_of(change.change)}});
  }
  return json;
}

}  // namespace

KeptResults kept_results(const BenchmarkFacts& facts, const BenchmarkResults& results) {
  return {.time = facts.provenance.time,
          .commit = facts.provenance.commit,
          .build = facts.provenance.build,
          .host = facts.provenance.host,
          .driver = facts.provenance.driver,
          .clock_mhz = results.clock.average,
          .identity = facts.identity,
          .metrics = kept(results.suites)};
}

std::vector<Verdict> all_verdicts(const BenchmarkResults& results) {
  std::vector<Verdict> verdicts;
  for (const SuiteReport& suite : results.suites) {
    verdicts.insert(verdicts.end(), suite.verdicts.begin(), suite.verdicts.end());
  }
  return verdicts;
}

std::string judged_text(const std::vector<Verdict>& verdicts) {
  std::vector<std::string_view> skipped;
  for (const Verdict& verdict : verdicts) {
    if (verdict.status != VerdictStatus::kSkipped) continue;
    if (std::ranges::count(skipped, verdict.id) == 0) skipped.push_back(verdict.id);
  }
  return fmt::format("requirements: judged {} (passed {}), skipped {}{}{}", judged_count(verdicts),
                     count_of(verdicts, VerdictStatus::kPass),
                     count_of(verdicts, VerdictStatus::kSkipped), skipped.empty() ? "" : ": ",
                     fmt::join(skipped, ", "));
}

void require_judged(const BenchmarkResults& results, std::string_view required, bool strict) {
  for (const std::string_view id : split_list(required)) {
    if (id.empty()) continue;
    std::vector<Verdict> rows = all_verdicts(results);
    std::erase_if(rows, [id](const Verdict& verdict) { return verdict.id != id; });
    require_some_judged(std::string(id), rows);
  }
  for (const SuiteReport& suite : results.suites) {
    if (strict && !suite.verdicts.empty())
      require_some_judged("suite " + suite.name, suite.verdicts);
  }
}

Page benchmark_page(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                    const BenchmarkResults& results, std::vector<Section> more) {
  const std::vector<Verdict> verdicts = all_verdicts(results);
  const std::size_t missed = count_of(verdicts, VerdictStatus::kMiss);
  Page page{.title = "virnucpro benchmark",
            .subtitle = fmt::format("{} · {} · {}", facts.provenance.time, facts.identity.device,
                                    facts.provenance.host)};
  page.badges = {missed > 0                   ? "requirements missed"
                 : judged_count(verdicts) > 0 ? "no requirement missed"
                                              : "nothing judged"};
  if (facts.synthetic) page.badges.emplace_back("synthetic weights");
  for (const VerdictStatus status : {VerdictStatus::kPass, VerdictStatus::kWarn,
                                     VerdictStatus::kMiss, VerdictStatus::kSkipped}) {
    const auto name = std::string(name_of(status));
    page.highlights.push_back(
        {name, name, std::uint64_t{count_of(verdicts, status)}, Measure::kCount});
  }
  for (const SuiteReport& suite : results.suites) {
    if (suite.failure.empty()) continue;
    page.warnings.push_back(shown_text(
        fmt::format("The suite {} was not run to its end: {}", suite.name, suite.failure), 1000));
  }
  Section judged{.key = "verdicts", .title = "Requirements"};
  judged.note = fmt::format("{}. A skipped row does not count as passed.", judged_text(verdicts));
  judged.tables = {verdict_table(verdicts)};
  page.sections = {std::move(judged)};
  for (const SuiteReport& suite : results.suites) page.sections.push_back(suite_section(suite));
  for (Section& section : more) page.sections.push_back(std::move(section));
  Section figures{.key = "figures", .title = "Figures for comparison with later benchmarks"};
  figures.tables = {metric_table(results)};
  page.sections.push_back(std::move(figures));
  page.sections.push_back(machine_section(settings, facts));
  return page;
}

std::string benchmark_json(const BenchmarkSettings& settings, const BenchmarkFacts& facts,
                           const BenchmarkResults& results, const BenchmarkEnd& end) {
  const std::vector<std::string> failures = failures_of(results, end);
  const std::vector<Verdict> verdicts = all_verdicts(results);
  const std::size_t judged = judged_count(verdicts);
  const std::size_t pass = count_of(verdicts, VerdictStatus::kPass);
  const bool passed = failures.empty() && judged > 0 && all_suites_judged(results);
  const auto hours = results.v2.projected_hours;
  Json json{{"schema", kSchema},
            {"metadata", metadata_section(settings, facts, results.clock)},
            {"performance", performance_section(results.v2)},
            {"validation",
             {{"equivalence", json_of(results.v2.equivalence)},
              {"meets_10hr_requirement", hours ? Json(*hours < kRequiredHours) : Json()}}},
            {"status",
             {{"all_tests_passed", passed},
              {"all_judged_passed", judged > 0 && pass == judged},
              {"judged", judged},
              {"passed", pass},
              {"skipped", verdicts.size() - judged},
              {"failures", failures}}},
            {"summary", {{"pass", passed}, {"exit_code", end.exit_code}}},
            {"verdicts", verdicts_json(verdicts_section(verdicts))},
            {"suites", suites_section(results)},
            {"changes", changes_of(end.changes)}};
  // Adds the figures with which later benchmarks are compared, as in the history.
  json.update(json_of(kept_results(facts, results)));
  return json.dump(1) + "\n";
}

}  // namespace virnucpro
