#pragma once

#include <string_view>

namespace virnucpro {

// "X.Y.Z", as CMakeLists.txt has it.
std::string_view program_version();

// Raised by every change after which the same input may give other bytes.
inline constexpr int kNumericsVersion = 1;

}  // namespace virnucpro
