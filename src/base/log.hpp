#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/directory.hpp"

namespace virnucpro {

enum class LogLevel : int { kDebug, kInfo, kWarning, kError };

// Sends messages from `level` up to stderr. If `file` is not empty, it gets messages from kInfo up
// (or from a lower `level`), with time stamps. Before the first call, messages go nowhere; a second
// call starts a new log. Errors: kOutputWrite.
void start_log(LogLevel level, const std::filesystem::path& file);
// Adds a file to a running log: the run's own log in its output directory. The file begins with the
// last kLogHistory messages logged so far. A file that is already in the log is not added again.
// Errors: kOutputWrite.
void add_log_file(const FilePlace& file);
// True if messages go to this file.
bool is_log_file(const std::filesystem::path& file);
inline constexpr std::size_t kLogHistory = 1000;

// Logs a message as one line: control characters in `text` (names of files, ids) are escaped. Any
// thread may call this. If a log file cannot be written any more (a full disk), stderr gets one
// warning.
void log_message(LogLevel level, std::string_view text);
// Logs to the files alone, for text that stderr shows in another form or not at all.
void log_to_files(LogLevel level, std::string_view text);

// Returns how many warnings the functions above have logged.
std::uint64_t warnings_said();

// Sends every message to `sink` alone, because another process prints this process's messages.
// Calls come one at a time, from any thread; `sink` must not log. An empty `sink` restores the
// destinations of start_log().
void send_log_to(std::function<void(LogLevel, std::string_view)> sink);

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
