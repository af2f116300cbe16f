#pragma once

#include <cstddef>
#include <string_view>

namespace virnucpro {

// stderr, shared by the log, the progress display and a command's last words, so that none writes
// into another's line. Safe from any thread. A stderr that cannot be written is not an error: the
// program's results do not depend on it.

// Writes `text` and a line end, above the live line where there is one.
void terminal_print(std::string_view text);
// Shows `line` as the last line, in place of the one before; empty takes it away. For terminals
// only (terminal_is_live()).
void terminal_show_live(std::string_view line);

// Whether stderr is a terminal that can move its cursor.
bool terminal_is_live();
// Columns of the terminal now; 80 where it does not say.
std::size_t terminal_width();

}  // namespace virnucpro
