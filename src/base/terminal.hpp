#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// stderr, shared by the log, the progress display and a command's last words, so that none writes
// into another's line. Safe from any thread. A stderr that cannot be written is not an error: the
// program's results do not depend on it.

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// What a terminal is told to move its cursor and to clear, in its own codes.
struct CursorControl {
  std::string line_up;      // to the line above, the same column
  std::string clear_below;  // from the cursor to the end of the screen
};

// Lines that stay below everything else. They are asked for whenever they are drawn, under the
// terminal's lock, for its size at that moment: none may be as wide as that, which would wrap.
using LiveLines = std::function<std::vector<std::string>(const TerminalSize&)>;

// Writes `text` and a line end, above the live block where there is one.
void terminal_print(std::string_view text);
// Draws the block in place of the one before, as many lines as there are rows. For a stderr that is
// a terminal with such codes.
void terminal_show_live(LiveLines lines, const CursorControl& control);
// Takes the block away.
void terminal_hide_live();

// Of the terminal now; the default where it does not say.
TerminalSize terminal_size();

}  // namespace virnucpro
