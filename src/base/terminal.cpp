#include "base/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
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
  (void)write_all(STDERR_FILENO, text);  // a failure cannot be reported anywhere
}

// The code that clears the live block, in memory that a signal handler can read.
struct BlockEraser {
  std::array<char, 32> code{};
  std::atomic<std::size_t> size{0};  // 0: no block is shown, or the code is too long
};
constinit BlockEraser eraser;
static_assert(std::atomic<std::size_t>::is_always_lock_free, "a signal handler uses this atomic");

void keep_eraser(std::string_view code) {
  eraser.size = 0;
  if (code.size() > eraser.code.size()) return;
  std::ranges::copy(code, eraser.code.begin());
  eraser.size = code.size();
}

void write_if_ready(std::string_view text) noexcept {
  pollfd stream{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&stream, 1, 0) == 1) write_stderr(text);
}

// Returns the terminal's size, or the default size if the system does not know it.
TerminalSize terminal_size() {
  winsize size{};
  TerminalSize result;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return result;
  if (size.ws_col > 0) result.columns = size.ws_col;
  if (size.ws_row > 0) result.rows = size.ws_row;
  return result;
}

// Returns the code that clears the live block. The cursor is at the start of the block's first
// line. If the terminal became narrower, it wrapped the block's lines, so the block is still below
// the cursor. (Lines that scrolled out of the window stay.) The blank is for tmux: with the cursor
// in the upper left corner, tmux would move the cleared screen into its history.
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
  keep_eraser(cleared(terminal()));
  write_stderr(output);
}

void terminal_hide_live() {
  const std::lock_guard lock(terminal().mutex);
  const std::string output = cleared(terminal());
  terminal().live = nullptr;
  keep_eraser({});
  if (!output.empty()) write_stderr(output);
}

void terminal_last_words(std::string_view line) noexcept {
  write_if_ready({eraser.code.data(), eraser.size});
  write_if_ready(line);
  write_if_ready("\n");
}

}  // namespace virnucpro
