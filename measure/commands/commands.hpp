#pragma once

#include "cli/command.hpp"

namespace virnucpro {

// Each function adds one of the measuring commands to the program.
void add_compare_command(Command& program);
void add_benchmark_command(Command& program);
void add_profile_command(Command& program);
void add_tune_command(Command& program);
void add_generate_command(Command& program);

}  // namespace virnucpro
