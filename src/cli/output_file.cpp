#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace virnucpro {

void check_output_file(const std::string& path, bool force) {
  if (path == "-") throw Error(ErrorKind::kUsage, "--output -: a file is needed, not stdout");
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} is not a regular file", path));
  }
  if (!force) throw Error(ErrorKind::kOutputExists, Place{.file = path}, {});
}

}  // namespace virnucpro
