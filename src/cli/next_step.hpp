#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "observe/counters.hpp"
#include "run/export.hpp"
#include "run/predict.hpp"

namespace virnucpro {

// These functions name the user's next step, in a sentence or a command line to copy.

// Returns the next step after a finished run; empty if there is none.
std::string next_step(const PredictSettings& settings, const RunSummary& summary, bool reports);
// The command that wrote the tables: export or merge.
enum class Written : std::uint8_t { kByExport, kByMerge };
std::string next_step(const ExportSummary& summary, Written how);

// Returns the command line that resumes a run of predict: the run's own command line `arguments`,
// which `program` has parsed, without --force and with --resume.
std::string resuming_command(const Command& program, const std::vector<std::string>& arguments);

// Adds to a run's error how much is done and how to resume. The run must have kept its scores.
Error with_way_on(Error error, const RunCounters& counters, const PredictSettings& settings,
                  const std::string& command);

}  // namespace virnucpro
