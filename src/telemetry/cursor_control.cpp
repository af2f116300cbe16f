#include "telemetry/cursor_control.hpp"

#include <unistd.h>

#include <string>
// Last: it defines common words as macros.
#include <term.h>

namespace virnucpro {
namespace {

// tputs() takes a function of one byte and nothing else.
std::string& written() {
  static std::string text;
  return text;
}

// A code with its padding resolved; empty where the terminal has none of this name.
std::string code_of(const char* name) {
  const char* const code = ::tigetstr(name);
  if (code == nullptr) return {};
  written().clear();
  ::tputs(code, 1, [](int byte) {
    written() += static_cast<char>(byte);
    return byte;
  });
  return written();
}

std::optional<CursorControl> look_up() {
  int found = 0;  // given a place for it, setupterm() says nothing and does not exit
  if (::isatty(STDERR_FILENO) != 1 || ::setupterm(nullptr, STDERR_FILENO, &found) != 0) {
    return std::nullopt;
  }
  CursorControl control{.line_up = code_of("cuu1"), .clear_below = code_of("ed")};
  if (control.line_up.empty() || control.clear_below.empty()) return std::nullopt;
  return control;
}

}  // namespace

std::optional<CursorControl> cursor_control() {
  static const std::optional<CursorControl> control = look_up();  // neither changes while it runs
  return control;
}

}  // namespace virnucpro
