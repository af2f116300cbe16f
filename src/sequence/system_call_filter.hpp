#pragma once

namespace virnucpro {

// Filters the system calls of a process of one thread that decodes untrusted bytes: an attacker in
// the process finds no file, network or program. From now on it can read the files that it holds
// open, write to standard output and standard error, manage its memory, and end. For anything else
// (open a file, a socket or a program, start a process, send a signal, raise its limits) the kernel
// kills it with SIGSYS. Open everything that it needs before.
//
// Returns false, and filters nothing, if the kernel lacks seccomp or a container forbids it.
bool filter_system_calls();

// Logs, once, that decoders run without the filter.
void say_unfiltered();

}  // namespace virnucpro
