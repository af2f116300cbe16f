#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// The options that a help text lists: those that most runs need, all options, or v2's options.
enum class HelpKind : std::uint8_t { kShort, kAll, kV2 };

// Returns the text of --help or --help-all, in lines of at most 80 columns. A command's text ends
// with a line on how to see other options; the program's text ends with its exit codes.
std::string help_text(const Command& command, HelpKind kind);
// Returns the text of --help-v2: the flags of v2, with their meaning here. For a command without
// such flags, returns a line that names the commands that have some.
std::string help_v2_text(const Command& command, const Command& program);

}  // namespace virnucpro
