#include "base/time.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace virnucpro {
namespace {

// Formats a time in UTC: date and seconds by `format`, then milliseconds and "Z".
std::string in_utc(SystemTime time, const char* format) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - second);
  const std::tm calendar = fmt::gmtime(std::chrono::system_clock::to_time_t(second));
  return fmt::format(fmt::runtime(format), calendar) + fmt::format(".{:03}Z", rest.count());
}

}  // namespace

std::string file_time(SystemTime time) {
  return in_utc(time, "{:%Y%m%dT%H%M%S}");
}

std::optional<SystemTime> parse_file_time(std::string_view text) {
  constexpr std::string_view kForm = "00000000T000000.000Z";
  const bool fits = std::ranges::equal(text, kForm, [](char letter, char form) {
    return form == '0' ? '0' <= letter && letter <= '9' : letter == form;
  });
  if (!fits) return std::nullopt;
  const auto number = [text](std::size_t at, std::size_t digits) {
    int value = 0;
    for (const char digit : text.substr(at, digits)) value = 10 * value + (digit - '0');
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(4, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(6, 2)))};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day) + std::chrono::hours(number(9, 2)) +
         std::chrono::minutes(number(11, 2)) + std::chrono::seconds(number(13, 2)) +
         std::chrono::milliseconds(number(16, 3));
}

std::string iso_time(SystemTime time) {
  return in_utc(time, "{:%Y-%m-%dT%H:%M:%S}");
}

}  // namespace virnucpro
