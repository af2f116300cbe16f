#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace virnucpro {

using SystemTime = std::chrono::system_clock::time_point;

// Returns a time in UTC, for the names of files: "20260131T093000.123Z".
std::string file_time(SystemTime time);
// Parses the result of file_time(); empty for any other text.
std::optional<SystemTime> parse_file_time(std::string_view text);
// Returns a time in UTC: "2026-01-31T09:30:00.123Z".
std::string iso_time(SystemTime time);

inline double seconds_since_1970(SystemTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// Measures the seconds since its construction, by a clock that never goes back.
class StopWatch {
 public:
  StopWatch() : begin_(std::chrono::steady_clock::now()) {}

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace virnucpro
