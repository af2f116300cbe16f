#pragma once

namespace virnucpro {

// Names the calling thread, for top, debuggers and traces; at most 15 letters.
void name_thread(const char* name);

}  // namespace virnucpro
