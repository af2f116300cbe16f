#include "library/exception.hpp"

#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

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

// These texts are made when the library is loaded, because later there may be no memory for this.
const std::runtime_error kNoMemory{std::string(no_memory().summary)};
const std::runtime_error kNoMemoryRemedy{std::string(no_memory().remedy)};

// Returns the text for what(). Replaces the summary of kUsage, because it names a command line.
std::string text_of(const Error& error) {
  if (error.kind() != ErrorKind::kUsage) return error.what();
  return "the options or arguments cannot be used: " + printable(error.detail());
}

std::string remedy_of(const Error& error) {
  const bool is_usage = error.kind() == ErrorKind::kUsage && error.has_usual_remedy();
  return std::string(is_usage ? "See the comments in virnucpro/virnucpro.hpp." : error.remedy());
}

}  // namespace

Exception ExceptionMaker::of(const std::exception& exception) noexcept {
  try {
    const Error error = error_of(exception);
    return {error.info(), std::runtime_error(text_of(error)), std::runtime_error(remedy_of(error))};
  } catch (const std::exception&) {
    return {no_memory(), kNoMemory, kNoMemoryRemedy};
  }
}

}  // namespace virnucpro
