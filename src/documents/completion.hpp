#pragma once

#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// Completion of commands, options and values, as each shell loads it for the program's name. Both
// need nothing but the shell.
// The commands with those that `help` describes as commands of it: "virnucpro help utils inspect".
Command with_help_topics(Command program);

std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);

}  // namespace virnucpro
