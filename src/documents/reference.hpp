#pragma once

#include <string>

namespace virnucpro {

// docs/reference/errors.md: the table of errors.
std::string error_reference();
// docs/configuration.md: the keys of the configuration file, and the environment variables.
std::string configuration_reference();

}  // namespace virnucpro
