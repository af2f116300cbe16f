#pragma once

#include <string>

namespace virnucpro {

// "virnucpro X.Y.Z"; with `details` more lines: build type, compiler, commit, libraries, whether
// CUDA is built in, the devices.
std::string version_text(bool details);

// "RelWithDebInfo, gcc 12.2.0"
std::string build_text();

// "9ab57c5ce1", with a + where files differed from it; "unknown" of sources without their history.
std::string build_commit();

}  // namespace virnucpro
