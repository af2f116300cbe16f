#pragma once

namespace virnucpro {

// From now on this process can read what it holds open, write to standard output and standard
// error, manage its memory, and end; for anything else (open a file, a socket or a program, start
// a process, send a signal, raise its limits) the kernel kills it with SIGSYS. For a process of one
// thread that decodes untrusted bytes: open all it needs before.
//
// False, and nothing is filtered, where the kernel has no such filters (seccomp) or a container
// forbids them.
bool filter_system_calls();

// Logs, once, that decoders run without the filter.
void say_unfiltered();

}  // namespace virnucpro
