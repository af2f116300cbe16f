#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace virnucpro {

enum class LogLevel : int { kDebug, kInfo, kWarning, kError };

// Sends messages from `level` up to stderr, and, when `file` is not empty, everything from kInfo up
// (or from `level` where that is lower) to that file with time stamps. Before it is called nothing
// is said anywhere; called again it starts over. Errors: kOutputWrite.
void start_log(LogLevel level, const std::filesystem::path& file);
// Adds a file to a log that is already running: the run's own log in its output directory. What was
// said before, the last kLogHistory messages of it, comes first in it. A file that is in the log
// already is not added again.
void add_log_file(const std::filesystem::path& file);
// Whether messages go to this file.
bool is_log_file(const std::filesystem::path& file);
inline constexpr std::size_t kLogHistory = 1000;

// One message is one line: control characters in `text` (names of files, ids) are escaped. Safe
// from any thread. A log file that cannot be written any more, on a full disk, is left at that,
// with one warning on stderr.
void log_message(LogLevel level, std::string_view text);
// The same to the files alone: what stderr says in another form, or not at all.
void log_to_files(LogLevel level, std::string_view text);

// How many warnings were said so far by the functions above.
std::uint64_t warnings_said();

// Sends every message to `sink` alone, one at a time, from whichever thread it comes; empty: back
// to where start_log() said. For a process whose messages another one says. `sink` must not log.
void send_log_to(std::function<void(LogLevel, std::string_view)> sink);

template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kDebug, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace virnucpro
