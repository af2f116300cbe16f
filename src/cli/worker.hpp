#pragma once

#include <span>

namespace virnucpro {

// Whether a command line is that of a worker process, which predict and embed start. No command of
// the program: no help, manual or completion knows it.
bool is_worker(std::span<const char* const> arguments);

// Its life; gives the exit code. Errors: kUsage where nobody started it as a worker.
int run_worker();

}  // namespace virnucpro
