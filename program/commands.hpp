#pragma once

#include <span>

#include "cli/program.hpp"

namespace virnucpro {

// Returns every command of the program, in the order in which help lists them.
std::span<const AddCommand> all_commands();

}  // namespace virnucpro
