#include "cli/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

void write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDOUT_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      throw Error(ErrorKind::kOutputWrite, Place{.file = std::string(kStandardOutput)},
                  errno == EPIPE ? "it was closed by its reader" : errno_text(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

}  // namespace virnucpro
