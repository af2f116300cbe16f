#pragma once

#include <string>

namespace virnucpro {

// "virnucpro X.Y.Z"; with `details` more lines: build type, compiler, libraries, whether CUDA is
// built in, the devices.
std::string version_text(bool details);

// "RelWithDebInfo, gcc 12.2.0"
std::string build_text();

}  // namespace virnucpro
