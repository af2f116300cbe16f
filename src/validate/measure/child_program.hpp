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

// Longer than a program of ours takes to stop.
inline constexpr std::chrono::seconds kChildPatience = Cancel::kGrace + std::chrono::seconds(2);

struct ChildCall {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // after the program's name
  std::filesystem::path log;           // what it says, on stdout and stderr
  std::vector<std::pair<std::string, std::string>> variables{};  // beside those of this process
  std::chrono::milliseconds patience = kChildPatience;  // from asking it to stop to killing it
};

struct ChildEnd {
  int exit_code = 0;  // 128 + the signal of one that was killed
  double seconds = 0;
  double cpu_seconds = 0;            // user and system, with its own children
  std::uint64_t peak_rss_bytes = 0;  // of the largest of them
};

// Runs a program to its end. When this one is cancelled it is asked to stop, as by Ctrl-C, and
// killed when it does not in time. Errors: Cancel's; kInputMissing
// for a program that cannot be started; kOutputWrite for the log.
ChildEnd run_child(const ChildCall& call, const Cancel& cancel);

// run_child, or what stands for it in a test.
using ChildRunner = std::function<ChildEnd(const ChildCall&, const Cancel&)>;

// The last lines of what a child said, for messages.
std::string last_lines(const std::filesystem::path& log);

}  // namespace virnucpro
