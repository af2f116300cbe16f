#pragma once

#include <string_view>

namespace virnucpro {

// Returns "X.Y.Z", from CMakeLists.txt.
std::string_view program_version();

// The version of the results. Raise it with every change that may change the bytes of a result.
inline constexpr int kNumericsVersion = 1;

}  // namespace virnucpro
