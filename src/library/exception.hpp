#pragma once

#include <exception>
#include <virnucpro/virnucpro.hpp>

namespace virnucpro {

struct ExceptionMaker {
  // The public form of an Error, or of what error_of() makes of another exception. Where there is
  // not the memory to compose it, "out-of-memory".
  static Exception of(const std::exception& exception) noexcept;
};

}  // namespace virnucpro
