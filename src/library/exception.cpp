#include <virnucpro/virnucpro.hpp>

namespace virnucpro {

Exception::Exception(const std::string& what, std::string_view name, int exit_code,
                     std::string_view remedy)
    : std::runtime_error(what), name_(name), exit_code_(exit_code), remedy_(remedy) {}

Exception::~Exception() = default;

}  // namespace virnucpro
