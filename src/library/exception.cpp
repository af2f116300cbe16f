#include "library/exception.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/error_of.hpp"

namespace virnucpro {

Exception::Exception(const ErrorInfo& info, std::shared_ptr<const std::string> what) noexcept
    : info_(&info), what_(std::move(what)) {}

Exception::~Exception() = default;

const char* Exception::what() const noexcept {
  return what_ ? what_->c_str() : info_->summary.data();
}
std::string_view Exception::name() const noexcept {
  return info_->name;
}
int Exception::exit_code() const noexcept {
  return info_->exit_code;
}
std::string_view Exception::remedy() const noexcept {
  return info_->remedy;
}

Exception ExceptionMaker::of(const std::exception& exception) noexcept {
  try {
    const auto* own = dynamic_cast<const Error*>(&exception);
    const Error error = own != nullptr ? *own : error_of(exception);
    return {error.info(), std::make_shared<const std::string>(error.what())};
  } catch (const std::exception&) {
    return {error_info(ErrorKind::kOutOfMemory), nullptr};
  }
}

}  // namespace virnucpro
