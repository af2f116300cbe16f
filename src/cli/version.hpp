#pragma once

#include <string>

namespace virnucpro {

// "virnucpro X.Y.Z"; with `details` also build type, compiler, commit, libraries, CUDA support and
// devices, one per line.
std::string version_text(bool details);

// "RelWithDebInfo, gcc 12.2.0"
std::string build_text();

// "9ab57c5ce1", followed by + if files differed from it; "unknown" for sources without history.
std::string build_commit();

}  // namespace virnucpro
