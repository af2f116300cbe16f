#include "telemetry/cursor_control.hpp"

#include <unistd.h>

#include <string>
// This header comes last, because it defines common words as macros.
#include <term.h>

namespace virnucpro {
namespace {

// Returns a global text, because the callback of tputs() gets only a byte and no place to store it.
std::string& written() {
  static std::string text;
  return text;
}

// Returns a terminal's code with padding applied; empty if the terminal does not have the code.
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
  int found = 0;  // with this argument setupterm() neither prints nor exits
  if (::isatty(STDERR_FILENO) != 1 || ::setupterm(nullptr, STDERR_FILENO, &found) != 0) {
    return std::nullopt;
  }
  CursorControl control{.line_up = code_of("cuu1"), .clear_below = code_of("ed")};
  if (control.line_up.empty() || control.clear_below.empty()) return std::nullopt;
  return control;
}

}  // namespace

std::optional<CursorControl> cursor_control() {
  static const std::optional<CursorControl> control = look_up();  // constant during a run
  return control;
}

}  // namespace virnucpro
