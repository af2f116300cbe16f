#include "base/error_of.hpp"

#include <fmt/format.h>

#include <new>
#include <system_error>

namespace virnucpro {

Error error_of(const std::exception& exception) {
  const auto* own = dynamic_cast<const Error*>(&exception);
  if (own != nullptr) return *own;
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return Error(ErrorKind::kOutOfMemory, "");
  }
  // A thread could not be started.
  const auto* system = dynamic_cast<const std::system_error*>(&exception);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return Error(ErrorKind::kOutOfMemory,
                 fmt::format("the system gives no more threads: {}", system->what()));
  }
  return Error(ErrorKind::kInternal, exception.what());
}

}  // namespace virnucpro
