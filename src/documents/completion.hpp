#pragma once

#include <string>

#include "documents/command_tree.hpp"

namespace virnucpro {

// Completion of commands, options and values, as each shell loads it for the program's name. Both
// need nothing but the shell.
// The commands with those that `help` describes as commands of it: "virnucpro help utils inspect".
CommandInfo with_help_topics(CommandInfo program);

std::string bash_completion(const CommandInfo& program);
std::string zsh_completion(const CommandInfo& program);

}  // namespace virnucpro
