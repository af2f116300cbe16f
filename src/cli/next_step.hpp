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

// Says what the user can do next, in a sentence or a command line that is ready to be copied.

// After a run that is done. Empty if nothing is left to do.
std::string next_step(const PredictSettings& settings, const RunSummary& summary, bool reports);
// After export or merge.
enum class Written : std::uint8_t { kByExport, kByMerge };
std::string next_step(const ExportSummary& summary, Written how);

// The command line with --resume in place of --force: it goes on with the run that `arguments`, of
// the command predict of `program`, began.
std::string resuming_command(const Command& program, const std::vector<std::string>& arguments);

// Adds to the error of a run that keeps its scores how much is done and how to go on.
Error with_way_on(Error error, const RunCounters& counters, const PredictSettings& settings,
                  const std::string& command);

}  // namespace virnucpro
