#pragma once

#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace virnucpro {

// virnucpro(1), in the man macros: every command with its options and examples, exit codes,
// environment, configuration.
std::string man_page(const Command& program);

// Escapes `text` so that roff shows every letter as it is, also at the beginning of a line.
std::string roff(std::string_view text);

// Completion of commands, options and values, as each shell loads it for the program's name. Both
// need nothing but the shell.
std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);

// Returns the commands with the topics of `help` as its commands: "virnucpro help utils inspect".
Command with_help_topics(Command program);

// docs/reference/options.md: every command with its options, and the flags of v2.
std::string option_reference(const Command& program);
// docs/reference/errors.md: the table of errors.
std::string error_reference();
// docs/reference/configuration.md: the keys of the configuration file, and the environment.
std::string configuration_reference();

}  // namespace virnucpro
