#include "telemetry/run_telemetry.hpp"

#include <algorithm>
#include <type_traits>

#include "base/json.hpp"

namespace virnucpro {
namespace {

// The most elements that are read from an array, so that a large file cannot take all memory.
constexpr std::size_t kMostRecords = 64;       // phases, stages, verdicts, inputs
constexpr std::size_t kMostElements = 10'000;  // arguments of a command line, intervals

template <typename T>
Json json_of(const T& value) {
  return value;
}

template <IsRecord Record>
Json json_of(const Record& record);

template <IsRecord Record>
Json json_of(const std::vector<Record>& records) {
  std::vector<Json> elements;
  for (const Record& record : records) elements.push_back(json_of(record));
  return elements;
}

template <IsRecord Record>
Json json_of(const std::optional<std::vector<Record>>& records) {
  return records ? json_of(*records) : Json();
}

// True for an optional list. A list that is not set is left out of the file.
template <typename T>
constexpr bool kIsList = false;
template <typename Record>
constexpr bool kIsList<std::optional<std::vector<Record>>> = true;

template <IsRecord Record>
Json json_of(const Record& record) {
  if constexpr (std::is_same_v<Record, Statistic>) {
    if (record.samples == 0) return nullptr;
  }
  Json json = Json::object();
  for_each_field(record, [&json](std::string_view name, const auto& member) {
    if constexpr (requires { Record::kLacksWhatIsEmpty; } ||
                  kIsList<std::remove_cvref_t<decltype(member)>>) {
      if (!member) return;
    }
    json[name] = json_of(member);
  });
  return json;
}

template <typename T>
constexpr std::size_t most_elements() {
  if constexpr (requires { T::kMostRead; }) {
    return T::kMostRead;
  } else {
    return IsRecord<T> ? kMostRecords : kMostElements;
  }
}

class Reader {
 public:
  explicit Reader(const JsonValues& values) : values_(values) {}

  template <IsRecord Record>
  void read(const std::string& path, Record& record) const {
    for_each_field(record, [&](std::string_view name, auto& member) {
      read(path + std::string(path.empty() ? "" : "/") + std::string(name), member);
    });
  }

 private:
  using Path = const std::string&;

  // Another program's file may lack the number of samples, or the average.
  void read(Path path, Statistic& statistic) const {
    read<Statistic>(path, statistic);
    statistic.samples = std::max<std::uint64_t>(statistic.samples, 1);
    if (!values_.number(path + "/average")) statistic = {};
  }
  void read(Path path, std::uint64_t& count) const { count = values_.count(path).value_or(0); }
  void read(Path path, double& number) const { number = values_.number(path).value_or(0); }
  void read(Path path, RunTelemetry::Count& count) const { count = values_.count(path); }
  void read(Path path, RunTelemetry::Number& number) const { number = values_.number(path); }
  void read(Path path, RunTelemetry::Text& words) const { words = values_.text(path); }
  void read(Path path, RunTelemetry::Flag& flag) const { flag = values_.flag(path); }
  void read(Path /*path*/, std::map<std::string, std::string>& /*description*/) const {}

  template <typename T>
  void read(Path path, std::vector<T>& elements) const {
    elements.resize(std::min(values_.elements(path), most_elements<T>()));
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const std::string place = path + "/" + std::to_string(k);
      if constexpr (IsRecord<T>) {
        read(place, elements[k]);
      } else {
        std::optional<T> element;
        read(place, element);
        elements[k] = element.value_or(T{});
      }
    }
  }
  template <typename T>
  void read(Path path, std::optional<std::vector<T>>& elements) const {
    if (values_.elements(path) > 0) read(path, elements.emplace());
  }

  const JsonValues& values_;
};

Json summary_json(const RunTelemetry& telemetry) {
  return {{"total_batches", telemetry.workload.batches},
          {"total_sequences", telemetry.workload.sequences_scored},
          {"total_tokens", telemetry.workload.esm_tokens},
          {"elapsed_seconds", telemetry.run.seconds},
          {"sequences_per_sec", telemetry.throughput.sequences_per_second},
          {"tokens_per_sec", telemetry.throughput.tokens_per_second},
          {"packing_efficiency", telemetry.packing.efficiency},
          {"min_packing_efficiency", telemetry.packing.least},
          {"batches_below_threshold", telemetry.packing.batches_below_80_percent}};
}

std::optional<RunTelemetry> record_of(const JsonValues& values) {
  if (values.empty()) return std::nullopt;
  RunTelemetry telemetry;
  Reader(values).read("", telemetry);
  return telemetry;
}

}  // namespace

std::optional<double> average_of(const std::vector<RunTelemetry::DevicePhase>& phases,
                                 DeviceStatistic statistic, bool (*is_wanted)(Phase)) {
  double sum = 0;
  double samples = 0;
  for (const RunTelemetry::DevicePhase& phase : phases) {
    const auto known = phase_named(phase.phase.value_or(""));
    const Statistic& values = phase.*statistic;
    if (!known || !is_wanted(*known)) continue;
    const auto weight = static_cast<double>(values.samples);
    sum += weight * values.average;
    samples += weight;
  }
  return samples > 0 ? std::optional(sum / samples) : std::nullopt;
}

std::vector<double> embedding_averages(const RunTelemetry& telemetry, DeviceStatistic statistic) {
  std::vector<double> averages;
  for (const RunTelemetry::Device& device : telemetry.devices) {
    const auto average = average_of(device.phases, statistic, is_while_embedding);
    if (average) averages.push_back(*average);
  }
  return averages;
}

std::optional<double> least_utilization(const RunTelemetry& telemetry) {
  const std::vector<double> percent =
      embedding_averages(telemetry, &RunTelemetry::DevicePhase::utilization_percent);
  return percent.empty() ? std::nullopt : std::optional(*std::ranges::min_element(percent));
}

std::optional<double> imbalance_of(const std::vector<RunTelemetry::Worker>& workers) {
  if (workers.size() < 2) return std::nullopt;
  std::vector<double> busy;
  for (const RunTelemetry::Worker& worker : workers) {
    busy.push_back(worker.busy_seconds.value_or(0));
  }
  const auto [least, most] = std::ranges::minmax(busy);
  return most > 0 ? std::optional((most - least) / most) : std::nullopt;
}

std::string telemetry_json(const RunTelemetry& telemetry, const std::vector<Json>& batches) {
  Json json = json_of(telemetry);
  json["summary"] = summary_json(telemetry);
  if (!batches.empty()) json["per_batch_metrics"] = batches;
  return json.dump(2) + "\n";
}

Json verdicts_json(const std::vector<RunTelemetry::Verdict>& verdicts) {
  return json_of(verdicts);
}

std::optional<RunTelemetry> parse_run_telemetry(std::string_view text, const std::string& file) {
  return record_of(JsonValues(text, file));
}

std::optional<RunTelemetry> read_run_telemetry(const std::filesystem::path& file) {
  return record_of(JsonValues::read(file));
}

}  // namespace virnucpro
