#include "base/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>

#include "base/file.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

struct Terminal {
  std::mutex mutex;
  std::string live;
};

Terminal& terminal() {
  static Terminal instance;
  return instance;
}

void write_stderr(std::string_view text) {
  (void)write_all(STDERR_FILENO, text);  // nobody is left to be told
}

}  // namespace

void terminal_print(std::string_view text) {
  const std::lock_guard lock(terminal().mutex);
  const std::string& live = terminal().live;
  std::string output;
  if (!live.empty()) output += kClearLine;
  output += text;
  output += '\n';
  output += live;
  write_stderr(output);
}

void terminal_show_live(std::string_view line) {
  const std::lock_guard lock(terminal().mutex);
  std::string& live = terminal().live;
  if (line.empty() && live.empty()) return;
  live = line;
  write_stderr(std::string(kClearLine) + live);
}

bool terminal_is_live() {
  const char* name = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && name != nullptr && std::string_view(name) != "dumb";
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace virnucpro
