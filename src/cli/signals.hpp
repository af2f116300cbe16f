#pragma once

#include "base/cancel.hpp"

namespace virnucpro {

// Makes the first SIGINT or SIGTERM request `cancel`, which must live as long as the process. A
// second signal ends the process at once with 130 or 143, unless it only repeats the first
// (Cancel::repeats()). The process first prints a line and removes its temporary folders. SIGINT is
// handled even if it was ignored at the start, as a shell ignores it for a script's background job:
// otherwise Ctrl-C would end the script, but not the job. SIGHUP, which a closed terminal sends, is
// handled like SIGTERM, unless it was ignored at the start (nohup). SIGPIPE is ignored, so a closed
// pipe is a write error like any other.
void handle_signals(Cancel& cancel);

}  // namespace virnucpro
