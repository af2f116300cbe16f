#pragma once

#include "base/cancel.hpp"

namespace virnucpro {

// From now on the first SIGINT or SIGTERM requests `cancel`, which must live as long as the
// process; a second one ends the process at once with 130 or 143. SIGHUP, a closed terminal, counts
// as SIGTERM. SIGPIPE is ignored: a reader that has gone is a write error like any other.
void handle_signals(Cancel& cancel);

}  // namespace virnucpro
