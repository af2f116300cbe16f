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

// This is longer than this program takes to stop.
inline constexpr std::chrono::seconds kChildPatience = Cancel::kGrace + std::chrono::seconds(2);

struct ChildCall {
  std::filesystem::path program;
  std::vector<std::string> arguments;                            // after the program's name
  std::filesystem::path log;                                     // its stdout and stderr
  std::vector<std::pair<std::string, std::string>> variables{};  // added to those of this process
  std::chrono::milliseconds patience = kChildPatience;  // between asking it to stop and killing it
};

struct ChildEnd {
  int exit_code = 0;  // 128 + signal if a signal killed it
  double seconds = 0;
  double cpu_seconds = 0;            // user and system, including its children
  std::uint64_t peak_rss_bytes = 0;  // of its largest process
};

// Runs a program to its end. When this process is cancelled, the program is asked to stop, as by
// Ctrl-C, and killed if it does not stop in time. Errors: those of Cancel; kInputMissing if the
// program cannot be started; kOutputWrite for the log.
ChildEnd run_child(const ChildCall& call, const Cancel& cancel);

// The type of run_child() and of its replacements in tests.
using ChildRunner = std::function<ChildEnd(const ChildCall&, const Cancel&)>;

// Returns the last lines of a child's log, for messages.
std::string last_lines(const std::filesystem::path& log);

}  // namespace virnucpro
