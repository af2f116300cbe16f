#include "base/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

struct Terminal {
  std::mutex mutex;
  LiveLines live;  // empty: no block is shown
  CursorControl control;
};

Terminal& terminal() {
  static Terminal instance;
  return instance;
}

void write_stderr(std::string_view text) {
  (void)write_all(STDERR_FILENO, text);  // a failure could not be reported anywhere
}

// The cursor waits at the start of the block's first line. A terminal that becomes narrower wraps
// the block's lines downwards, so they, and nothing else, stay below the cursor. (Lines that scroll
// out of the window stay.) The blank: in the upper left corner tmux would move the screen to its
// history.
std::string cleared(const Terminal& terminal) {
  return terminal.live ? "\r " + terminal.control.clear_below + '\r' : std::string{};
}

std::string drawn(const Terminal& terminal) {
  if (!terminal.live) return {};
  const TerminalSize size = terminal_size();
  const std::vector<std::string> lines = terminal.live(size);
  const std::size_t count = std::min(lines.size(), size.rows);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += '\n';
    text += printable(lines[i]);
  }
  text += '\r';
  for (std::size_t i = 1; i < count; ++i) text += terminal.control.line_up;
  return text;
}

}  // namespace

void terminal_print(std::string_view text) {
  const std::lock_guard lock(terminal().mutex);
  write_stderr(cleared(terminal()) + printable_lines(text) + '\n' + drawn(terminal()));
}

void terminal_show_live(LiveLines lines, const CursorControl& control) {
  const std::lock_guard lock(terminal().mutex);
  std::string output = cleared(terminal());
  terminal().live = std::move(lines);
  terminal().control = control;
  output += drawn(terminal());
  write_stderr(output);
}

void terminal_hide_live() {
  const std::lock_guard lock(terminal().mutex);
  const std::string output = cleared(terminal());
  terminal().live = nullptr;
  if (!output.empty()) write_stderr(output);
}

TerminalSize terminal_size() {
  winsize size{};
  TerminalSize result;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return result;
  if (size.ws_col > 0) result.columns = size.ws_col;
  if (size.ws_row > 0) result.rows = size.ws_row;
  return result;
}

}  // namespace virnucpro
