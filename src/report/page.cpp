#include "report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr double kLargestGrouped = 1e15;

struct Scale {
  double factor;
  const char* suffix;
};
constexpr std::array<Scale, 5> kThousands{
    {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};

// Rounds to three significant digits. Numbers from 100 on are rounded to an integer.
std::string short_number(double value) {
  if (value == 0) return "0";
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string scaled(double value, const char* unit) {
  for (const Scale& scale : kThousands) {
    if (value < scale.factor && scale.factor > 1) continue;
    return fmt::format("{}{}{}{}", short_number(value / scale.factor), *unit == '\0' ? "" : " ",
                       scale.suffix, unit);
  }
  return {};
}

std::string counted(double value) {
  const bool whole = value >= 100 && value < kLargestGrouped;
  return whole ? grouped(static_cast<std::uint64_t>(std::llround(value))) : short_number(value);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{} µs", short_number(seconds * 1e6));
  if (seconds < 1) return fmt::format("{} ms", short_number(seconds * 1e3));
  if (seconds < 120) return fmt::format("{} s", short_number(seconds));
  if (seconds >= TimeBins::kLongestRun) return fmt::format("{} s", short_number(seconds));
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string number_text(double value, Measure unit) {
  switch (unit) {
    case Measure::kSeconds:
      return time_text(value);
    case Measure::kBytes:
      return scaled(value, "B");
    case Measure::kPercent:
      return fmt::format("{} %", short_number(value));
    case Measure::kShare:
      return fmt::format("{} %", short_number(100 * value));
    case Measure::kPerSecond:
      return counted(value) + " /s";
    case Measure::kWatts:
      return fmt::format("{} W", short_number(value));
    case Measure::kCelsius:
      return fmt::format("{} °C", short_number(value));
    case Measure::kMegahertz:
      return fmt::format("{:.0f} MHz", value);
    case Measure::kScore:
      return fmt::format("{:.4f}", value);
    case Measure::kFactor:
      return std::isinf(value) ? "no limit" : counted(value) + " ×";
    case Measure::kExact:
      return fmt::format("{}", value);
    case Measure::kNone:
    case Measure::kCount:
    case Measure::kStatus:
      break;
  }
  return counted(value);
}

}  // namespace

std::string value_text(const Value& value, Measure unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number, unit);
  const auto* count = std::get_if<std::uint64_t>(&value);
  if (count == nullptr) return "not measured";
  const bool plain = unit == Measure::kNone || unit == Measure::kCount;
  return plain ? grouped(*count) : number_text(static_cast<double>(*count), unit);
}

std::string cell_text(const Value& value, const Column& column) {
  if (std::holds_alternative<std::monostate>(value)) return column.absent;
  return value_text(value, column.unit);
}

std::string axis_text(double value, Measure unit) {
  if (unit == Measure::kBytes) return scaled(value, "B");
  if (unit == Measure::kPercent) return fmt::format("{:g} %", value);
  if (unit == Measure::kShare) return fmt::format("{:g} %", 100 * value);
  if (unit == Measure::kSeconds) return time_text(value);
  if (unit == Measure::kWatts) return fmt::format("{:g} W", value);
  if (value < 1000) return fmt::format("{:g}", value);
  return scaled(value, "");
}

std::string without_formula(std::string text) {
  constexpr std::string_view kBegins = "=+-@\t\r";
  if (!text.empty() && kBegins.find(text.front()) != std::string_view::npos) text.front() = '_';
  return text;
}

Value optional_value(const std::optional<double>& number) {
  return number ? Value{*number} : Value{};
}

Value share_value(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? Value{} : Value{static_cast<double>(part) / static_cast<double>(whole)};
}

}  // namespace virnucpro
