#pragma once

#include <string>

namespace virnucpro {

// Of this machine, as the kernel has it; "unknown" where it does not tell.
std::string host_name();

}  // namespace virnucpro
