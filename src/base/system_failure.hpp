#pragma once

#include "base/error.hpp"

namespace virnucpro {

// Returns the error for the errno of a system call: kOutOfMemory or kTooManyFiles for a lack of
// memory or descriptors, which are no fault of a file, else `otherwise`.
ErrorKind kind_of_failure(int error, ErrorKind otherwise);

// Returns the error for a failed open or read: kInputRead if the disk or network failed, a lack as
// above, else `otherwise`.
ErrorKind kind_of_reading(int error, ErrorKind otherwise = ErrorKind::kInputMissing);

}  // namespace virnucpro
