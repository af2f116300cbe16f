#pragma once

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "cli/environment.hpp"

namespace virnucpro {

// Makes sure that a file to be written is named only once, under any name (links, "..", names that
// are not there yet), before any file is opened. It compares the options and arguments of the
// program and the chosen command, and the configuration's models. It is one check for all of them,
// as a check of two options each forgets the third. The command itself checks what only it knows,
// such as the run's own files and the inputs of an earlier run. Errors: kUsage.
void require_distinct_files(const Command& program, const Config& config,
                            const Environment& environment);

}  // namespace virnucpro
