#pragma once

namespace virnucpro {

// Filters the system calls of this process, so that it can decode untrusted bytes: an attacker's
// code cannot reach files, the network or programs. The process must have one thread. From now on
// it can read its open files, write to standard output and standard error, manage its memory, and
// end. Opening a file fails, so open all files before. At any other call (open a socket, start a
// process or program, send a signal, raise its limits) the kernel kills the process with SIGSYS.
//
// Returns false, and filters nothing, if the kernel lacks seccomp or a container forbids it.
bool filter_system_calls();

// Warns in the log that decoders run without the filter. Further calls in this process do nothing.
void say_unfiltered();

}  // namespace virnucpro
