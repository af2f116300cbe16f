#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// Fills in the targets of the rows of `program` and its commands, how often each was given, and the
// chosen commands. Returns the option that replaces the command's work, if there is one.
// `arguments` begin with the program's name. Errors: kUsage, with the nearest known command or flag
// for an unknown one; the commands are filled in even then.
std::optional<Ask> parse_command_line(Command& program, std::span<const char* const> arguments);

// "unknown command perdict; did you mean predict?"
std::string explain_unknown_command(const Command& above, const std::string& name);

}  // namespace virnucpro
