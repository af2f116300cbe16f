#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.hpp"

namespace virnucpro {

// The options that a help lists: the options that most runs need, all options, or v2's options.
enum class HelpKind : std::uint8_t { kShort, kAll, kV2 };

// Returns the text of --help or --help-all, in lines of at most 80 columns. A command's text ends
// with how to see other options, the program's text with its exit codes.
std::string help_text(const Command& command, HelpKind kind);
// Returns the text of --help-v2: the flags of v2 and what each stands for. For a command without
// such flags, it is a line that names the commands with flags of v2.
std::string help_v2_text(const Command& command, const Command& program);

}  // namespace virnucpro
