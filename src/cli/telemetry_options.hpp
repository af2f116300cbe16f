#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "observe/trace.hpp"
#include "run/settings.hpp"
#include "telemetry/progress.hpp"
#include "telemetry/telemetry.hpp"

namespace virnucpro {

ProgramFacts program_facts(const Session& session);

// Chooses the measurements that a predict run writes to its directory, from --telemetry and the
// configuration. Without a directory there are none. Errors: kUsage, kConfig.
TelemetrySettings choose_telemetry(const std::string& option, bool has_directory,
                                   const Session& session);

// --trace and --trace-limit as written; empty if not given.
struct TraceOptions {
  std::string file;
  std::string limit;
};

void add_trace_options(Command& command, TraceOptions& options, const std::string& group);

// Chooses the trace; empty without --trace. Errors: kUsage, also for an existing file that is not a
// trace of this program, and for a file in the output directory.
std::optional<TraceSettings> choose_trace(const TraceOptions& options,
                                          const Environment& environment,
                                          const std::filesystem::path& output);

// Chooses how a command shows progress; empty if it shows none (-q, --no-progress,
// progress.enabled). Errors: kConfig.
std::optional<ProgressSettings> choose_progress(bool no_progress, const ComputeSettings& compute,
                                                const Session& session);

}  // namespace virnucpro
