#include "library/exception.hpp"

#include <stdexcept>
#include <string>

#include "base/error.hpp"

namespace virnucpro {

Exception::Exception(const ErrorInfo& info, const std::runtime_error& what,
                     const std::runtime_error& remedy) noexcept
    : std::runtime_error(what), info_(&info), remedy_(remedy) {}

Exception::~Exception() = default;

std::string_view Exception::name() const noexcept {
  return info_->name;
}
int Exception::exit_code() const noexcept {
  return info_->exit_code;
}
std::string_view Exception::remedy() const noexcept {
  return remedy_.what();
}

namespace {

const ErrorInfo& no_memory() {
  return error_info(ErrorKind::kOutOfMemory);
}

// Made when the library is loaded, because later there may be no memory to make them.
const std::runtime_error kNoMemory{std::string(no_memory().summary)};
const std::runtime_error kNoMemoryRemedy{std::string(no_memory().remedy)};

}  // namespace

Exception ExceptionMaker::of(const std::exception& exception) noexcept {
  try {
    const Error error = error_of(exception);
    return {error.info(), std::runtime_error(error.what()),
            std::runtime_error(std::string(error.remedy()))};
  } catch (const std::exception&) {
    return {no_memory(), kNoMemory, kNoMemoryRemedy};
  }
}

}  // namespace virnucpro
