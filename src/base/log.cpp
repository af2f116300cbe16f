#include "base/log.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

spdlog::level::level_enum spd_level(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Writes by terminal_print(), so that messages and the live progress display do not mix.
class TerminalSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    terminal_print({line.data(), line.size()});
  }
  void flush_() override {}
};

// Sets a pattern without a line end, because terminal_print() adds one.
void set_terminal_pattern(spdlog::sinks::sink& sink) {
  sink.set_formatter(std::make_unique<spdlog::pattern_formatter>(
      "virnucpro: %l: %v", spdlog::pattern_time_type::local, std::string{}));
}

struct Line {
  spdlog::log_clock::time_point time;
  spdlog::level::level_enum level;
  std::string text;
};

void write(spdlog::logger& logger, const Line& line) {
  logger.log(line.time, spdlog::source_loc{}, line.level, line.text);
}

struct Log {
  std::mutex mutex;  // protects all members: spdlog does not lock its lists of sinks
  spdlog::logger terminal{"virnucpro"};
  spdlog::logger files{"virnucpro"};
  std::vector<std::filesystem::path> paths;  // the log files
  std::deque<Line> history;                  // the last lines, for files that are added later
  bool loses_lines = false;
  std::uint64_t warnings = 0;
  std::function<void(LogLevel, std::string_view)> elsewhere;  // gets all messages, if set
};

Log& the_log() {
  static Log instance;
  return instance;
}

Line line_of(LogLevel level, std::string_view text) {
  return {spdlog::log_clock::now(), spd_level(level), printable(text)};
}

// Counts a warning, writes a line to the log files, and keeps the line for files that are added
// later. The caller holds the lock.
void keep(Log& log, const Line& line) {
  if (line.level == spdlog::level::warn) ++log.warnings;
  if (!log.files.should_log(line.level)) return;
  write(log.files, line);
  log.history.push_back(line);
  if (log.history.size() > kLogHistory) log.history.pop_front();
}

// Warns once that a log file cannot be written: a full disk must not end the run. The caller holds
// the lock.
void warn_of_lost_lines(const std::string& reason) {
  Log& log = the_log();
  if (std::exchange(log.loses_lines, true)) return;
  write(log.terminal,
        line_of(LogLevel::kWarning, fmt::format("a log file loses lines: {}", reason)));
}

class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  FileSink(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size()) fail();
  }
  void flush_() override {
    if (std::fflush(file_.get()) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { spdlog::throw_spdlog_ex(name_, errno); }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
};

std::shared_ptr<spdlog::sinks::sink> file_sink(const FilePlace& place) {
  if (!place.folder && place.path.has_parent_path()) make_directory(place.path.parent_path());
  UniqueFd fd = place.open_to_append();
  std::FILE* const file = fd.get() < 0 ? nullptr : ::fdopen(fd.get(), "a");
  if (file == nullptr) throw write_error(place.path, errno);
  fd.release();
  auto sink = std::make_shared<FileSink>(file, place.path.string());
  sink->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  return sink;
}

}  // namespace

void start_log(LogLevel level, const std::filesystem::path& file) {
  auto terminal = std::make_shared<TerminalSink>();
  set_terminal_pattern(*terminal);
  {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.terminal.sinks().assign(1, std::move(terminal));
    log.terminal.set_level(spd_level(level));
    log.files.sinks().clear();
    log.paths.clear();
    log.files.set_level(spd_level(LogLevel::kInfo));
    log.files.flush_on(spdlog::level::info);
    log.files.set_error_handler(warn_of_lost_lines);
    log.history.clear();
    log.loses_lines = false;
  }
  if (!file.empty()) add_log_file(file);
}

void add_log_file(const FilePlace& file) {
  if (is_log_file(file.path)) return;
  auto sink = file_sink(file);
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  std::vector<spdlog::sink_ptr> others = std::move(log.files.sinks());
  log.files.sinks().assign(1, sink);
  for (const Line& line : log.history) write(log.files, line);
  log.files.sinks() = std::move(others);
  log.files.sinks().push_back(std::move(sink));
  log.paths.push_back(file.path);
}

bool is_log_file(const std::filesystem::path& file) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  return std::any_of(log.paths.begin(), log.paths.end(), [&file](const auto& path) {
    std::error_code gone;  // set if the file is missing
    return std::filesystem::equivalent(path, file, gone);
  });
}

void log_message(LogLevel level, std::string_view text) {
  const Line line = line_of(level, text);
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (log.elsewhere) return log.elsewhere(level, text);
  write(log.terminal, line);
  keep(log, line);
}

void log_to_files(LogLevel level, std::string_view text) {
  const Line line = line_of(level, text);
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (log.elsewhere) return log.elsewhere(level, text);
  keep(log, line);
}

std::uint64_t warnings_said() {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  return log.warnings;
}

void send_log_to(std::function<void(LogLevel, std::string_view)> sink) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  log.elsewhere = std::move(sink);
}

}  // namespace virnucpro
