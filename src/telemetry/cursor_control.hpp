#pragma once

#include <optional>

#include "base/terminal.hpp"

namespace virnucpro {

// Returns the codes that move the cursor of the terminal on stderr, from the system's terminfo
// entry for TERM. Empty if stderr is not a terminal, if TERM is unset or unknown, or if the
// terminal cannot move its cursor (TERM=dumb).
std::optional<CursorControl> cursor_control();

}  // namespace virnucpro
