#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "telemetry/run_progress.hpp"

namespace virnucpro {

// How progress looks as text. Unknown values are left out.
struct ProgressLook {
  std::size_t bar_width = 80;          // columns of the bar, or fewer in a narrow terminal
  std::vector<std::string> workers{};  // their names; each of several has its own line
};

// "0:12:05".
std::string clock_text(double seconds);

// For one line of a log:
// "0:10:40 · 47.3 % · ETA 0:12:05 · 1,234 of ~2,600 sequences · 19.0 sequences/s · …".
std::string plain_progress(const RunProgress& progress);

// The lines for a terminal of this size, which they fit without wrapping:
//   [=================================>                       ]  47.3 % · ETA 0:12:05
//   0:10:40 · 1,234 of ~2,600 sequences · 19.0 sequences/s · 1,100 tokens/s
//   GPU 93 % · packed 97 %
//   cuda:0 · 560 tokens/s · GPU 94 % · packed 97 %
std::vector<std::string> live_progress(const RunProgress& progress, const ProgressLook& look,
                                       const TerminalSize& size);

}  // namespace virnucpro
