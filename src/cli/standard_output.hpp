#pragma once

#include <string_view>

namespace virnucpro {

// Writes all of `text` to stdout, unbuffered. Errors: kOutputWrite, also when the reader of a pipe
// has gone (SIGPIPE is ignored).
void write_stdout(std::string_view text);

}  // namespace virnucpro
