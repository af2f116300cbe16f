#include "base/system_failure.hpp"

#include <cerrno>

namespace virnucpro {

ErrorKind kind_of_failure(int error, ErrorKind otherwise) {
  switch (error) {
    case ENOMEM:
      return ErrorKind::kOutOfMemory;
    case EMFILE:
    case ENFILE:
      return ErrorKind::kTooManyFiles;
    default:
      return otherwise;
  }
}

ErrorKind kind_of_reading(int error, ErrorKind otherwise) {
  switch (error) {
    case EIO:
    case ESTALE:
    case ETIMEDOUT:
      return ErrorKind::kInputRead;
    default:
      return kind_of_failure(error, otherwise);
  }
}

}  // namespace virnucpro
