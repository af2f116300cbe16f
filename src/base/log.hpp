#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/directory.hpp"

namespace virnucpro {

enum class LogLevel : int { kInfo, kWarning, kError };

// Starts a log: stderr gets messages of `level` and above. If `file` is not empty, it gets all
// messages with their times. Before the first call no message is written. A second call starts a
// new log. Errors: kOutputWrite.
void start_log(LogLevel level, const std::filesystem::path& file);
// Adds a file to a running log, such as the run's own log in its output directory. The file begins
// with the last kLogHistory messages so far. If the file is already in the log, nothing changes.
// Errors: kOutputWrite.
void add_log_file(const FilePlace& file);
bool is_log_file(const std::filesystem::path& file);
inline constexpr std::size_t kLogHistory = 1000;

// Logs a message as one line: control characters in `text` (names of files, ids) are escaped. Any
// thread may call this function. If a log file cannot be written (a full disk), stderr gets one
// warning.
void log_message(LogLevel level, std::string_view text);
// Logs only to the files: stderr shows this text in another form or not at all.
void log_to_files(LogLevel level, std::string_view text);

std::uint64_t warnings_said();

// Sends every message to `sink` alone, because another process prints this process's messages.
// Calls of `sink` come from any thread, one at a time; `sink` must not log. An empty `sink`
// restores the destinations of start_log().
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
