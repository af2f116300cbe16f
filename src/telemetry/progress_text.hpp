#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "telemetry/run_progress.hpp"

namespace virnucpro {

// Settings for the text that shows progress.
struct ProgressLook {
  std::size_t bar_width = 80;          // columns of the bar, or fewer in a narrow terminal
  std::vector<std::string> workers{};  // the workers' names; two or more workers have a line each
};

// Returns hours, minutes and seconds: "0:12:05".
std::string clock_text(double seconds);

// Returns a line for a log, without unknown values:
// "0:10:40 · 47.3 % · ETA 0:12:05 · 1,234 of ~2,600 sequences · 19.0 sequences/s · …".
std::string plain_progress(const RunProgress& progress);

// Returns the lines for a terminal of this size; none is wider than the terminal:
//   [=================================>                       ]  47.3 % · ETA 0:12:05
//   0:10:40 · 1,234 of ~2,600 sequences · 19.0 sequences/s · 1,100 tokens/s
//   GPU 93 % · packed 97 %
//   cuda:0 · 560 tokens/s · GPU 94 % · packed 97 %
std::vector<std::string> live_progress(const RunProgress& progress, const ProgressLook& look,
                                       const TerminalSize& size);

}  // namespace virnucpro
