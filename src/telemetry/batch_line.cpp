#include "telemetry/batch_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/json_values.hpp"

namespace virnucpro {
namespace {

template <typename T>
std::string column_text(const T& value, int digits) {
  if constexpr (std::is_floating_point_v<T>) return fmt::format("{:.{}f}", value, digits);
  if constexpr (std::is_integral_v<T>) return std::to_string(value);
  if constexpr (std::is_enum_v<T>) {
    return fmt::format(R"("{}")", kQueueStateNames.at(static_cast<std::size_t>(value)));
  }
}

void read_column(const JsonValues& line, const std::string& name, double& value) {
  value = line.number(name).value_or(std::numeric_limits<double>::quiet_NaN());
}

void read_column(const JsonValues& line, const std::string& name, std::uint64_t& count) {
  count = line.count(name).value_or(0);
}

void read_column(const JsonValues& line, const std::string& name, std::uint32_t& worker) {
  const std::uint64_t number = line.count(name).value_or(kNoWorker);
  worker = number < kNoWorker ? static_cast<std::uint32_t>(number) : kNoWorker;
}

void read_column(const JsonValues& line, const std::string& name, QueueState& state) {
  const auto found = std::ranges::find(kQueueStateNames, line.text(name).value_or(""));
  state = static_cast<QueueState>(found - kQueueStateNames.begin());
}

}  // namespace

std::string write_batch_line(const BatchMetrics& batch, double journal) {
  const BatchLine line{.batch = batch,
                       .packing = packing_share(batch.esm_tokens, batch.budget_tokens),
                       .seconds = batch.times.busy(),
                       .journal = journal};
  std::string text;
  for_each_batch_column(line, [&text](std::string_view name, const auto& value, int digits) {
    text += fmt::format(R"({}"{}":{})", text.empty() ? '{' : ',', name, column_text(value, digits));
  });
  return text + "}\n";
}

BatchLine read_batch_line(std::string_view text, const std::string& file) {
  const JsonValues values(text, file);
  BatchLine line;
  for_each_batch_column(line, [&values](std::string_view name, auto& value, int /*digits*/) {
    read_column(values, std::string(name), value);
  });
  return line;
}

}  // namespace virnucpro
