#pragma once

#include "cli/command_line.hpp"

namespace virnucpro {

// Checks the files that the options and arguments of the chosen command name, and those of the
// program itself, before any of them is opened: one that is written must be named only once, under
// whatever name (links, "..", names that are not there yet). What only the command knows, such as
// the run's own files and the inputs of an earlier run, it checks itself. Errors: kUsage.
void require_distinct_files(const Command& program);

}  // namespace virnucpro
