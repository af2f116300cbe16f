#pragma once

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "cli/environment.hpp"

namespace virnucpro {

// Checks the files that the options and arguments of the chosen command name, those of the program
// itself and the models of the configuration, before any of them is opened: one that is written
// must be named only once, under whatever name (links, "..", names that are not there yet). What
// only the command knows, such as the run's own files and the inputs of an earlier run, it checks
// itself. Errors: kUsage.
void require_distinct_files(const Command& program, const Config& config,
                            const Environment& environment);

}  // namespace virnucpro
