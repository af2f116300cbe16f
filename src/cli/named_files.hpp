#pragma once

#include "base/config.hpp"
#include "cli/command_line.hpp"
#include "cli/environment.hpp"

namespace virnucpro {

// Checks, before any file is opened, that no output is the same file as another output or an input,
// even under another path (links, "..", files that do not exist yet), and that none lies in a
// model's folder. Compares the options and arguments of the program and the chosen command, and the
// configuration's models. One check compares all files, because checks of single pairs would forget
// some. The command itself checks files that are not in options, such as the run's own files and an
// earlier run's inputs. Errors: kUsage.
void require_distinct_files(const Command& program, const Config& config,
                            const Environment& environment);

}  // namespace virnucpro
