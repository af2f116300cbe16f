#include "library/exception.hpp"

#include <stdexcept>
#include <string>

#include "base/error.hpp"

namespace virnucpro {

Exception::Exception(const ErrorInfo& info, const std::runtime_error& what) noexcept
    : std::runtime_error(what), info_(&info) {}

Exception::~Exception() = default;

std::string_view Exception::name() const noexcept {
  return info_->name;
}
int Exception::exit_code() const noexcept {
  return info_->exit_code;
}
std::string_view Exception::remedy() const noexcept {
  return info_->remedy;
}

namespace {

const ErrorInfo& no_memory() {
  return error_info(ErrorKind::kOutOfMemory);
}

std::runtime_error compose_no_memory() noexcept {
  return std::runtime_error(std::string(no_memory().summary));
}

// Composed when the library is loaded; later there may be no memory for it.
const std::runtime_error kNoMemory = compose_no_memory();

}  // namespace

Exception ExceptionMaker::of(const std::exception& exception) noexcept {
  try {
    const Error error = error_of(exception);
    return {error.info(), std::runtime_error(error.what())};
  } catch (const std::exception&) {
    return {no_memory(), kNoMemory};
  }
}

}  // namespace virnucpro
