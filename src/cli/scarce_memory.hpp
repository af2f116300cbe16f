#pragma once

namespace virnucpro {

// Makes the program end with its error for memory, not by a signal, where a limit (ulimit -v, -d)
// is too small for a library. Call it first in main().
//
// oneDNN writes to memory that it did not get, and glibc aborts when it has no memory to unwind the
// stack; an exception that leaves a thread or a noexcept function aborts, too. So a crash for which
// the system has hardly any memory left becomes kOutOfMemory; any other crash stays one.
void prepare_for_scarce_memory();

// Gives the main thread, and threads that are started later, stacks of a useful size even where the
// limit (ulimit -s) is small. Errors: kOutOfMemory, when the limit cannot be raised enough.
void enlarge_stacks();

}  // namespace virnucpro
