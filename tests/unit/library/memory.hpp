#pragma once

namespace virnucpro {

// While true, every `new` of this thread fails, also inside the library.
extern thread_local bool no_memory;

}  // namespace virnucpro
