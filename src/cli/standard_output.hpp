#pragma once

#include <string_view>

namespace virnucpro {

// The file name in errors of write_stdout().
inline constexpr std::string_view kStandardOutput = "standard output";

// Writes all of `text` to stdout, unbuffered. Errors: kOutputWrite, also when a pipe's reader has
// ended (SIGPIPE is ignored).
void write_stdout(std::string_view text);

}  // namespace virnucpro
