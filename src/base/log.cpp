#include "base/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"

namespace virnucpro {
namespace {

spdlog::level::level_enum spd_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

spdlog::logger& logger() {
  return *spdlog::default_logger_raw();
}

}  // namespace

void start_log(LogLevel level, const std::filesystem::path& file) {
  auto terminal = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  terminal->set_level(spd_level(level));
  terminal->set_pattern("virnucpro: %l: %v");
  auto fresh = std::make_shared<spdlog::logger>("virnucpro", terminal);
  fresh->set_level(spd_level(std::min(level, LogLevel::kInfo)));
  spdlog::set_default_logger(std::move(fresh));
  if (!file.empty()) add_log_file(file);
}

void add_log_file(const std::filesystem::path& file) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    sink->set_level(logger().level());
    sink->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger().sinks().push_back(std::move(sink));
    logger().flush_on(spdlog::level::info);
  } catch (const spdlog::spdlog_ex& error) {
    throw Error(ErrorKind::kOutputWrite, Place{.file = file.string()}, error.what());
  }
}

void log_message(LogLevel level, std::string_view text) {
  logger().log(spd_level(level), text);
}

}  // namespace virnucpro
