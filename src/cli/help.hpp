#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// What --help says: arguments, groups of options and commands in lines of at most 100 columns;
// under a command how to see the global options, under the program its exit codes.
std::string help_text(const Command& command);

}  // namespace virnucpro
