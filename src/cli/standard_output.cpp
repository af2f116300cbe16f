#include "cli/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

void write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return;
  throw Error(ErrorKind::kOutputWrite, Place{.file = std::string(kStandardOutput)},
              error == EPIPE ? "it was closed by its reader" : errno_text(error));
}

}  // namespace virnucpro
