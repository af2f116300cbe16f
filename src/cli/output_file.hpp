#pragma once

#include <string>
#include <string_view>

namespace virnucpro {

// A file that a command is told to write may replace nothing unless `force`, and then only a
// regular file. Errors: kUsage; kOutputExists.
void check_output_file(const std::string& path, bool force);

// A file that `flag` names replaces one of an earlier run, which begins with `start`, but no other:
// an input, for one. `what` it holds is for the message. Error: kUsage.
void check_own_file(std::string_view flag, const std::string& path, std::string_view start,
                    std::string_view what);

}  // namespace virnucpro
