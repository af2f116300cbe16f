#pragma once

#include <exception>
#include <virnucpro/virnucpro.hpp>

namespace virnucpro {

struct ExceptionMaker {
  // Turns an Error, or any exception by way of error_of(), into the public Exception. If there is
  // no memory for it, the result is "out-of-memory".
  static Exception of(const std::exception& exception) noexcept;
};

}  // namespace virnucpro
