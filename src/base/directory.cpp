#include "base/directory.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw write_error(directory, error.value());
}

TemporaryFolder::TemporaryFolder() {
  const char* const set = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  const std::string parent = set == nullptr || *set == '\0' ? "/tmp" : set;
  std::string name = std::filesystem::path(parent) / "virnucpro-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::kTemporaryFolder, Place{.file = parent}, errno_text(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what remains does no harm
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace virnucpro
