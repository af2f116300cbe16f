#pragma once

#include "base/cancel.hpp"

namespace virnucpro {

// Makes the first SIGINT or SIGTERM request `cancel`, which must live as long as the process. A
// second signal ends the process at once with 130 or 143, unless it only repeats the first
// (Cancel::repeats()). Before that end, a line says so, and temporary folders are removed. SIGINT
// is handled even if a shell had it ignored, as for a script's job in the background: Ctrl-C ends
// the script, and would leave the job behind. SIGHUP, a closed terminal, gives the exit code of
// SIGTERM. SIGPIPE is ignored, so a closed pipe is a write error like any other.
void handle_signals(Cancel& cancel);

}  // namespace virnucpro
