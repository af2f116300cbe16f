#include "telemetry/device_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "observe/monitor_rows.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kOlderHostId = "host";
constexpr std::array<std::string_view, 3> kNeeded{"timestamp", "device_id", "stage"};
constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kLongestName = 60;

std::vector<std::string_view> fields_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> fields;
  while (fields.size() < kMostColumns) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  return fields;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t length) {
  if (at + length > text.size()) return std::nullopt;
  const auto value = parse_count(text.substr(at, length));
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

// Returns the seconds since 1970 of "2026-11-22T06:30:00.123Z"; the T may be a blank.
std::optional<double> seconds_of_date(std::string_view text) {
  using std::chrono::day, std::chrono::month, std::chrono::year;
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (text.size() <= 17 || text[4] != '-' || text[13] != ':') return std::nullopt;
  const auto y = digits(text, 0, 4), mo = digits(text, 5, 2), d = digits(text, 8, 2);
  const auto h = digits(text, 11, 2), mi = digits(text, 14, 2);
  const auto s = parse_number(text.substr(17));
  if (!y || !mo || !d || !h || !mi || !s || *s >= 61) return std::nullopt;
  const std::chrono::year_month_day date{year(*y), month(static_cast<unsigned>(*mo)),
                                         day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  const std::chrono::seconds days = std::chrono::sys_days(date).time_since_epoch();
  return static_cast<double>(days.count() + *h * 3600 + *mi * 60) + *s;
}

std::optional<double> seconds_of(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  return number ? number : seconds_of_date(text);
}

// Returns the device's id, "cuda:1" for "1". Older logs have the id instead of the number.
std::string device_named(std::string_view id) {
  return parse_count(id) ? fmt::format("cuda:{}", id) : shown_text(id, kLongestName);
}

// Reads the line of column names, then the rows.
class MetricTable {
 public:
  explicit MetricTable(MetricFacts& facts) : facts_(facts) {}

  // Returns false if a column that every row needs is missing.
  bool read_header(std::string_view line) {
    const std::vector<std::string_view> names = fields_of(line);
    for (std::size_t k = 0; k < names.size(); ++k) columns_.emplace(names[k], k);
    return std::ranges::all_of(kNeeded, [this](auto name) { return columns_.count(name) == 1; });
  }

  void read_row(std::string_view line) {
    fields_ = fields_of(line);
    const auto moment = seconds_of(text("timestamp"));
    const auto phase = phase_named(text("stage"));
    const std::string id = device_named(text("device_id"));
    if (!moment || !phase || id.empty()) {
      ++facts_.damaged_lines;
      return;
    }
    if (!begin_) begin_ = *moment;
    seconds_ = *moment - *begin_;
    ++facts_.rows;
    if (id == kHostId || id == kOlderHostId) {
      add_host_row(*phase);
    } else if (const auto index = index_of(id)) {
      add_device_row(*phase, *index);
    }
  }

 private:
  std::string_view text(std::string_view column) const {
    const auto found = columns_.find(column);
    const bool there = found != columns_.end() && found->second < fields_.size();
    return there ? fields_[found->second] : std::string_view{};
  }

  std::optional<double> number(std::string_view column) const {
    const auto value = parse_number(text(column));
    const bool possible = value && *value >= 0 && *value <= JsonValues::kLargestNumber;
    return possible ? value : std::nullopt;
  }

  std::optional<std::uint64_t> count(std::string_view column) const {
    const auto value = number(column);
    return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
  }

  void add(const std::optional<double>& value, TimeBins& bins) const {
    if (value) bins.add(seconds_, *value);
  }

  void add_host_row(Phase phase) {
    HostSummary& host = facts_.summary.host;
    const auto cpu = number("process_cpu_percent");
    const auto resident = number("rss_bytes");
    add_values<HostGauges>(host.of(phase), {.cpu_percent = cpu, .rss_bytes = resident});
    host.usage.read_bytes = count("read_bytes");
    host.usage.written_bytes = count("written_bytes");
    add(cpu, facts_.host.cpu);
    add(resident, facts_.host.memory);
  }

  void add_device_row(Phase phase, std::size_t index) {
    GpuReading reading;
    for_each_field(reading, [this](std::string_view name, auto& value) { value = number(name); });
    reading.memory_total = count("memory_total_bytes");
    reading.throttle_reasons = throttle_bits(text("throttle_reasons"));
    reading.ecc_errors = count("ecc_errors");
    DeviceSummary& device = facts_.summary.devices[index];
    device.add(phase, reading);
    if (reading.memory_used_bytes || reading.utilization_percent) ++device.rows;
    for_each_pair(
        reading, facts_.devices[index],
        [this](std::string_view, const auto& value, TimeBins& bins) { add(value, bins); });
  }

  std::optional<std::size_t> index_of(const std::string& id) {
    auto& devices = facts_.summary.devices;
    const auto found = std::ranges::find(devices, id, &DeviceSummary::id);
    if (found != devices.end()) return static_cast<std::size_t>(found - devices.begin());
    if (devices.size() == MetricFacts::kMostDevices) return std::nullopt;
    devices.emplace_back().id = id;
    facts_.devices.emplace_back();
    return devices.size() - 1;
  }

  MetricFacts& facts_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<std::string_view> fields_;
  std::optional<double> begin_;
  double seconds_ = 0;  // seconds from the first row to this row
};

}  // namespace

MetricFacts read_metrics(const std::filesystem::path& file) {
  MetricFacts facts;
  MetricTable table(facts);
  bool has_header = false;
  for_each_line(file, [&](std::string_view line) {
    if (line.starts_with('#')) return;  // the summary at the file's end
    if (has_header) {
      table.read_row(line);
    } else if (!table.read_header(line)) {
      throw Error(ErrorKind::kInputFormat, Place{.file = file.string()},
                  "the first line must name the columns timestamp, device_id and stage");
    }
    has_header = true;
  });
  return facts;
}

}  // namespace virnucpro
