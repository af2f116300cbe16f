#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
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

void check_own_file(std::string_view flag, const std::string& path, std::string_view start,
                    std::string_view what) {
  std::error_code ignored;  // what cannot be looked at fails when it is written
  if (!std::filesystem::exists(path, ignored)) return;
  std::string found(start.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(found.data(), static_cast<std::streamsize>(found.size()));
  if (std::filesystem::is_regular_file(path, ignored) && found == start) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{} {}: it is there and holds no {} of this program", flag, path, what));
}

}  // namespace virnucpro
