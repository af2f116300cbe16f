#include "telemetry/run_telemetry.hpp"

#include <algorithm>

#include "base/json_values.hpp"
#include "observe/phase.hpp"

namespace virnucpro {
namespace {

// The number of elements read from an array: the file's size must not determine the memory.
constexpr std::size_t kMostRecords = 64;       // devices, phases, workers, stages, verdicts, inputs
constexpr std::size_t kMostElements = 10'000;  // arguments of a command line, intervals

template <typename T>
concept IsRecord = requires {
  T::kNames;
};

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

Json json_of(const std::optional<std::vector<RunTelemetry::Input>>& inputs) {
  return inputs ? json_of(*inputs) : Json();
}

template <IsRecord Record>
Json json_of(const Record& record) {
  if constexpr (std::is_same_v<Record, RunTelemetry::Statistic>) {
    if (!record.average) return nullptr;
  }
  Json json = Json::object();
  for_each_field(record, [&json](std::string_view name, const auto& member) {
    if constexpr (requires { Record::kLacksWhatIsEmpty; }) {
      if (!member) return;
    }
    json[name] = json_of(member);
  });
  return json;
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

  void read(Path path, RunTelemetry::Count& count) const { count = values_.count(path); }
  void read(Path path, RunTelemetry::Number& number) const { number = values_.number(path); }
  void read(Path path, RunTelemetry::Text& words) const { words = values_.text(path); }
  void read(Path path, RunTelemetry::Flag& flag) const { flag = values_.flag(path); }
  void read(Path /*path*/, std::map<std::string, std::string>& /*description*/) const {}

  template <typename T>
  void read(Path path, std::vector<T>& elements) const {
    elements.resize(std::min(values_.elements(path), IsRecord<T> ? kMostRecords : kMostElements));
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

std::optional<RunTelemetry> record_of(const JsonValues& values) {
  if (values.empty()) return std::nullopt;
  RunTelemetry telemetry;
  Reader(values).read("", telemetry);
  return telemetry;
}

}  // namespace

std::vector<double> embedding_averages(
    const RunTelemetry& telemetry, RunTelemetry::Statistic RunTelemetry::DevicePhase::*statistic) {
  constexpr auto kEmbedding = static_cast<std::size_t>(Phase::kEmbedding);
  std::vector<double> averages;
  for (const RunTelemetry::Device& device : telemetry.devices) {
    if (device.phases.size() <= kEmbedding) continue;
    const auto average = (device.phases[kEmbedding].*statistic).average;
    if (average) averages.push_back(*average);
  }
  return averages;
}

std::optional<double> least_utilization(const RunTelemetry& telemetry) {
  const std::vector<double> percent =
      embedding_averages(telemetry, &RunTelemetry::DevicePhase::utilization_percent);
  return percent.empty() ? std::nullopt : std::optional(*std::ranges::min_element(percent));
}

std::string telemetry_json(const RunTelemetry& telemetry) {
  return json_of(telemetry).dump(2) + "\n";
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
