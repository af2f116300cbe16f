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

// Empty: the run is not traced. Errors: kUsage, also for a file that is there and is no trace of
// this program, or is one of the output directory.
std::optional<TraceSettings> choose_trace(const TraceOptions& options,
                                          const Environment& environment,
                                          const std::filesystem::path& output);

}  // namespace virnucpro
