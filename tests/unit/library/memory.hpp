#pragma once

namespace virnucpro {

// While it is true, every `new` of this thread fails, within the library as well.
extern thread_local bool no_memory;

}  // namespace virnucpro
