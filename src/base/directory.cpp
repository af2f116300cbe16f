#include "base/directory.hpp"

#include <system_error>

#include "base/error.hpp"

namespace virnucpro {

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw Error(ErrorKind::kOutputWrite, Place{.file = directory.string()}, error.message());
  }
}

}  // namespace virnucpro
