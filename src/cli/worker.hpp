#pragma once

#include <span>

namespace virnucpro {

// Whether a command line is that of a worker process, started by predict or embed. It is no command
// of the program: help, manual and completion do not list it.
bool is_worker(std::span<const char* const> arguments);

// Runs the worker. Returns the exit code. Errors: kUsage if it was not started as a worker.
int run_worker();

}  // namespace virnucpro
