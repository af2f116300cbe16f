#include "base/time_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace virnucpro {
namespace {

// `format` is for the seconds; milliseconds are appended.
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

std::string iso_time(SystemTime time) {
  return in_utc(time, "{:%Y-%m-%dT%H:%M:%S}");
}

}  // namespace virnucpro
