#pragma once

#include <string>

namespace virnucpro {

// This machine's name, from the kernel; "unknown" where the call fails.
std::string host_name();

}  // namespace virnucpro
