#pragma once

namespace virnucpro {

// Makes the program end with kOutOfMemory, not by a signal, if a limit (ulimit -v, -d) is too small
// for a library. Call it first in main().
//
// oneDNN writes to memory that it did not get. glibc aborts if it has no memory to unwind the
// stack, and an exception that leaves a thread or a noexcept function aborts, too. So a crash with
// hardly any memory left becomes kOutOfMemory; any other crash stays a crash.
void prepare_for_scarce_memory();

// Gives the main thread, and threads that start later, stacks of a useful size even if the limit
// (ulimit -s) is small. Errors: kOutOfMemory if the limit cannot be raised enough.
void enlarge_stacks();

}  // namespace virnucpro
