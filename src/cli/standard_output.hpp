#pragma once

#include <string_view>

namespace virnucpro {

// The file that an error of write_stdout() names.
inline constexpr std::string_view kStandardOutput = "standard output";

// Writes all of `text` to stdout, unbuffered. Errors: kOutputWrite, also when the reader of a pipe
// has gone (SIGPIPE is ignored).
void write_stdout(std::string_view text);

}  // namespace virnucpro
