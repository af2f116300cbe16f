#pragma once

#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace virnucpro {

// Returns virnucpro(1), in the man macros: every command with its options and examples, exit codes,
// environment, configuration.
std::string man_page(const Command& program);

// Escapes `text` so that roff shows every letter as it is, also at the beginning of a line.
std::string roff(std::string_view text);

// These return a shell's completion script for commands, options and values. The shell loads the
// script by the program's name; the script runs no other program.
std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);

// Adds the topics of `help` as commands of `help`: "virnucpro help utils inspect".
Command with_help_topics(Command program);

// Returns docs/reference/options.md: every command with its options, and the flags of v2.
std::string option_reference(const Command& program);
// Returns docs/reference/errors.md: the table of errors.
std::string error_reference(const Command& program);
// Returns the general meaning of an exit code, then its special meanings in single commands.
std::string meaning_of(const ExitCode& code, const Command& program);
// Returns docs/reference/configuration.md: the configuration file's keys, and the environment.
std::string configuration_reference();

}  // namespace virnucpro
