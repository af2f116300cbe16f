#pragma once

#include <string_view>

namespace virnucpro {

// Returns "X.Y.Z", from CMakeLists.txt.
std::string_view program_version();

// The version of the results. Raise it with every change after which an input may give other bytes.
inline constexpr int kNumericsVersion = 1;

}  // namespace virnucpro
