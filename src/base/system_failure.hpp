#pragma once

#include "base/error.hpp"

namespace virnucpro {

// Returns the kind of a system call's errno: kOutOfMemory or kTooManyFiles for a lack of memory or
// descriptors, because the file is not at fault; else `otherwise`.
ErrorKind kind_of_failure(int error, ErrorKind otherwise);

// Like kind_of_failure(), for a failed open or read: kInputRead if the disk or network failed.
ErrorKind kind_of_reading(int error, ErrorKind otherwise = ErrorKind::kInputMissing);

}  // namespace virnucpro
