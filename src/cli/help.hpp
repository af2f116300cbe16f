#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// The text of --help: arguments, groups of options and commands in lines of at most 100 columns. A
// command's ends with how to see the global options, the program's with its exit codes.
std::string help_text(const Command& command);
// The text of --help-v2: the flags of v2, and what each stands for; for a command without those
// that have no effect, a line that says which commands of the program have them.
std::string help_v2_text(const Command& command, const Command& program);

}  // namespace virnucpro
