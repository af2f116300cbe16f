#include "telemetry/batch_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/error.hpp"
#include "base/json.hpp"

namespace virnucpro {
namespace {

std::string column_text(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "null";
}

template <typename T>
std::string column_text(const T& value, int digits) {
  if constexpr (std::is_floating_point_v<T>) return fmt::format("{:.{}f}", value, digits);
  if constexpr (std::is_integral_v<T>) return std::to_string(value);
  if constexpr (std::is_enum_v<T>) {
    return fmt::format(R"("{}")", kQueueStateNames.at(static_cast<std::size_t>(value)));
  }
}

std::optional<double> read_column(const JsonValues& line, const std::string& name,
                                  const double& /*column*/) {
  return line.number(name);
}

// Reads an optional column. The outer value is never empty; the inner value is empty if unknown.
std::optional<std::optional<double>> read_column(const JsonValues& line, const std::string& name,
                                                 const std::optional<double>& /*column*/) {
  return line.number(name);
}

template <std::unsigned_integral T>
std::optional<T> read_column(const JsonValues& line, const std::string& name, const T& /*column*/) {
  const std::optional<std::uint64_t> count = line.count(name);
  if (!count || *count > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(*count);
}

std::optional<QueueState> read_column(const JsonValues& line, const std::string& name,
                                      const QueueState& /*column*/) {
  const auto* const found = std::ranges::find(kQueueStateNames, line.text(name).value_or(""));
  if (found == kQueueStateNames.end()) return std::nullopt;
  return static_cast<QueueState>(found - kQueueStateNames.begin());
}

}  // namespace

std::string write_batch_line(const BatchMetrics& batch, double journal,
                             std::optional<double> gpu_util) {
  const BatchLine line{.batch = batch,
                       .packing = batch.packing(),
                       .seconds = batch.times.busy(),
                       .journal = journal,
                       .gpu_util = gpu_util,
                       .tokens_per_sec = batch.tokens_per_sec()};
  std::string text;
  for_each_batch_column(line, [&text](std::string_view name, const auto& value, int digits) {
    text += fmt::format(R"({}"{}":{})", text.empty() ? '{' : ',', name, column_text(value, digits));
  });
  return text + "}\n";
}

BatchLine read_batch_line(std::string_view text, const std::string& file) {
  const JsonValues values(text, file);
  BatchLine line;
  for_each_batch_column(line, [&](std::string_view name, auto& column, int /*digits*/) {
    const auto value = read_column(values, std::string(name), column);
    if (!value) {
      throw Error(ErrorKind::kJson, Place{.file = file},
                  fmt::format("the value \"{}\" of a batch is missing or impossible", name));
    }
    column = *value;
  });
  return line;
}

}  // namespace virnucpro
