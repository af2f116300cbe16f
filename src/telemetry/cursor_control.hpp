#pragma once

#include <optional>

#include "base/terminal.hpp"

namespace virnucpro {

// Returns the codes that move the cursor of the terminal on stderr, from the system's terminfo
// database by TERM. Empty if stderr is not a terminal, if TERM is unset or not in the database, and
// for a terminal that cannot move its cursor (TERM=dumb).
std::optional<CursorControl> cursor_control();

}  // namespace virnucpro
