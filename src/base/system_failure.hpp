#pragma once

#include "base/error.hpp"

namespace virnucpro {

// Which error a failed system call is, by its errno: a lack of memory or of descriptors is one of
// the machine and of no file; any other is `otherwise`.
ErrorKind kind_of_failure(int error, ErrorKind otherwise);

// Which error it is when a file cannot be opened or read: kInputRead where the disk or network
// fails, or a lack as above; any other is `otherwise`.
ErrorKind kind_of_reading(int error, ErrorKind otherwise = ErrorKind::kInputMissing);

}  // namespace virnucpro
