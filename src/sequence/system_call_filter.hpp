#pragma once

namespace virnucpro {

// Filters the system calls of this process, which must have one thread and will decode untrusted
// bytes: code of an attacker then reaches no file, network or program. From now on the process can
// read its open files, write to standard output and standard error, manage its memory, and end.
// Opening a file fails. At any other call (open a socket, start a process or program, send a
// signal, raise its limits) the kernel kills the process with SIGSYS. Open all files before.
//
// Returns false, and filters nothing, if the kernel lacks seccomp or a container forbids it.
bool filter_system_calls();

// Logs one warning per process that decoders run without the filter.
void say_unfiltered();

}  // namespace virnucpro
