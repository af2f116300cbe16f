#pragma once

#include <optional>

#include "base/terminal.hpp"

namespace virnucpro {

// How the terminal that stderr is moves its cursor, as the system's database of terminals
// (terminfo) has it for TERM. Empty where stderr is no terminal, where TERM says nothing or is not
// in the database, and for one that only writes on (TERM=dumb).
std::optional<CursorControl> cursor_control();

}  // namespace virnucpro
