#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// Completion of commands, options and values, in the file that each shell loads for this program.
// Both scripts need only the shell.
// The program with all commands as topics of `help`: "virnucpro help utils inspect".
Command with_help_topics(Command program);

std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);

}  // namespace virnucpro
