#pragma once

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "cli/environment.hpp"

namespace virnucpro {

// Makes sure, before any file is opened, that a file to be written is named only once, under any
// name (links, "..", names that do not exist yet). Compares the options and arguments of the
// program and the chosen command, and the configuration's models. One check compares all files,
// because checks of single pairs would forget some. The command itself checks files that are not in
// options, such as the run's own files and an earlier run's inputs. Errors: kUsage.
void require_distinct_files(const Command& program, const Config& config,
                            const Environment& environment);

}  // namespace virnucpro
