#pragma once

#include <string>

namespace virnucpro {

// Returns "virnucpro X.Y.Z". With `details`, adds build type, compiler, commit, libraries, CUDA
// support and devices, one per line.
std::string version_text(bool details);

// Returns a text such as "RelWithDebInfo, gcc 12.2.0".
std::string build_text();

// Returns a commit such as "9ab57c5ce1", followed by + if files differed from that commit;
// "unknown" for sources without history.
std::string build_commit();

}  // namespace virnucpro
