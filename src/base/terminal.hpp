#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// These functions write to stderr for the log, the progress display and a command's last message,
// so that their lines do not mix. Any thread may call them. A failed write is ignored, because the
// program's results do not depend on stderr.

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// The terminal's codes that move its cursor and clear the screen.
struct CursorControl {
  std::string line_up;      // moves to the line above, same column
  std::string clear_below;  // clears from the cursor to the end of the screen
};

// A function that returns the live block: the lines below all other output. It is called for each
// drawing, under the terminal's lock. Every line must be narrower than the terminal, or the
// terminal would wrap it. The lines are made printable().
using LiveLines = std::function<std::vector<std::string>(const TerminalSize&)>;

// Writes `text` through printable_lines(), and a line end, above the live block if there is one.
void terminal_print(std::string_view text);
// Shows these lines as the live block, cut to the terminal's rows. stderr must be a terminal that
// has the codes in `control`.
void terminal_show_live(LiveLines lines, const CursorControl& control);
void terminal_hide_live();

// Writes a printable line from a signal handler that ends the process. Takes no lock, allocates no
// memory, and writes nothing if stderr would block.
void terminal_last_words(std::string_view line) noexcept;

}  // namespace virnucpro
