#pragma once

#include <string>

namespace virnucpro {

// docs/reference/errors.md: the table of errors.
std::string error_reference();
// docs/reference/configuration.md: the keys of the configuration file, and the environment.
std::string configuration_reference();

}  // namespace virnucpro
