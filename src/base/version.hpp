#pragma once

#include <string_view>

namespace virnucpro {

// Returns "X.Y.Z", from CMakeLists.txt.
std::string_view program_version();

// The number is raised with every change after which the same input may give different bytes.
inline constexpr int kNumericsVersion = 1;

}  // namespace virnucpro
