#pragma once

#include <exception>

#include "base/error.hpp"

namespace virnucpro {

// The error that an exception stands for: itself where it is one, kOutOfMemory where the system
// gives no more memory or threads, else kInternal.
Error error_of(const std::exception& exception);

}  // namespace virnucpro
