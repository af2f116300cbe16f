#pragma once

#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace virnucpro {

// virnucpro(1), in the man macros: every command with its options and examples, exit codes,
// environment, configuration.
std::string man_page(const Command& program);

// Escapes `text` so that roff shows every character, also at the start of a line.
std::string roff(std::string_view text);

}  // namespace virnucpro
