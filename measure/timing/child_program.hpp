#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.hpp"

namespace virnucpro {

// The default time between SIGTERM and SIGKILL: longer than this program takes to stop.
inline constexpr std::chrono::seconds kChildPatience = Cancel::kGrace + std::chrono::seconds(2);

struct ChildCall {
  std::filesystem::path program;
  std::vector<std::string> arguments;                            // without the program's name
  std::filesystem::path log;                                     // receives its stdout and stderr
  std::vector<std::pair<std::string, std::string>> variables{};  // added to the environment
  std::chrono::milliseconds patience = kChildPatience;           // time between SIGTERM and SIGKILL
};

struct ChildEnd {
  int exit_code = 0;  // the child's exit code, or 128 + the signal that killed it
  double seconds = 0;
  double cpu_seconds = 0;            // user and system time of the child and its children
  std::uint64_t peak_rss_bytes = 0;  // peak memory of the largest of these processes
};

// Runs a program to its end. When this process is cancelled, sends the program SIGTERM, and kills
// it if it has not ended after call.patience. Errors: those of Cancel; kInputMissing if the program
// cannot be started; kOutputWrite for the log.
ChildEnd run_child(const ChildCall& call, const Cancel& cancel);

// The type of run_child() and of its replacements in tests.
using ChildRunner = std::function<ChildEnd(const ChildCall&, const Cancel&)>;

// Returns the last lines of a child's log, for messages.
std::string last_lines(const std::filesystem::path& log);

}  // namespace virnucpro
