#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.hpp"

namespace virnucpro {

struct ChildCall {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // after the program's name
  std::filesystem::path log;           // what it says, on stdout and stderr
  std::vector<std::pair<std::string, std::string>> variables{};  // beside those of this process
};

struct ChildEnd {
  int exit_code = 0;  // 128 + the signal of one that was killed
  double seconds = 0;
  double cpu_seconds = 0;            // user and system, with its own children
  std::uint64_t peak_rss_bytes = 0;  // of the largest of them
};

// Runs a program to its end. When this one is cancelled it is asked to stop, as by Ctrl-C, and
// killed when it does not within Cancel::kGrace and two seconds. Errors: Cancel's; kInputMissing
// for a program that cannot be started; kOutputWrite for the log.
ChildEnd run_child(const ChildCall& call, const Cancel& cancel);

// The last lines of what a child said, for messages.
std::string last_words(const std::filesystem::path& log);

}  // namespace virnucpro
