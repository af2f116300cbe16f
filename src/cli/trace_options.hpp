#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/command_line.hpp"
#include "cli/environment.hpp"
#include "observe/trace.hpp"

namespace virnucpro {

// --trace and --trace-limit, as written; empty: not given.
struct TraceOptions {
  std::string file;
  std::string limit;
};

void add_trace_options(Command& command, TraceOptions& options, const std::string& group);

// Empty: no trace. Errors: kUsage, also for an existing file that is no trace of this program, and
// for a file of the output directory.
std::optional<TraceSettings> choose_trace(const TraceOptions& options,
                                          const Environment& environment,
                                          const std::filesystem::path& output);

}  // namespace virnucpro
