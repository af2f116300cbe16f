#pragma once

#include <string>

namespace virnucpro {

// A file that a command is told to write may replace nothing unless `force`, and then only a
// regular file. Errors: kUsage; kOutputExists.
void check_output_file(const std::string& path, bool force);

}  // namespace virnucpro
