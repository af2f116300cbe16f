#pragma once

#include <string>

namespace virnucpro {

// "virnucpro X.Y.Z"; with `details` more lines: build type, compiler, libraries, the CPU's kernel
// path, whether CUDA is built in.
std::string version_text(bool details);

}  // namespace virnucpro
