#pragma once

#include <exception>

#include "base/error.hpp"

namespace virnucpro {

// Turns any exception into an Error: an Error stays as it is, lack of memory or threads becomes
// kOutOfMemory, everything else kInternal.
Error error_of(const std::exception& exception);

}  // namespace virnucpro
