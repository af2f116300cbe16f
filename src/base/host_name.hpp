#pragma once

#include <string>

namespace virnucpro {

// Returns this machine's name from the kernel; "unknown" if the call fails.
std::string host_name();

}  // namespace virnucpro
