#pragma once

#include <exception>
#include <virnucpro/virnucpro.hpp>

namespace virnucpro {

struct ExceptionMaker {
  // Makes an Exception from any exception. If there is no memory for that, the result is the
  // Exception "out-of-memory".
  static Exception of(const std::exception& exception) noexcept;
};

}  // namespace virnucpro
