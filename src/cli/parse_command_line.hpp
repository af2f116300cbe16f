#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// Fills in what the rows of `program` and its commands point at, how often each was given, and
// which commands are chosen; gives what is asked for in place of the chosen command's work, if
// anything. `arguments` begin with the program's name. Errors: kUsage, with the nearest known
// command or flag for an unknown one; the commands are filled in all the same.
std::optional<Ask> parse_command_line(Command& program, std::span<const char* const> arguments);

// "unknown command perdict; did you mean predict?"
std::string explain_unknown_command(const Command& above, const std::string& name);

}  // namespace virnucpro
