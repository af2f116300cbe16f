#include "base/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace virnucpro {

std::string_view other_kind_of(const std::filesystem::path& path) {
  std::error_code unknown;
  switch (std::filesystem::symlink_status(path, unknown).type()) {
    case std::filesystem::file_type::symlink:
      return "a symbolic link";
    case std::filesystem::file_type::directory:
      return "a directory";
    case std::filesystem::file_type::fifo:
      return "a named pipe";
    case std::filesystem::file_type::socket:
      return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character:
      return "a device";
    default:
      return {};
  }
}

UniqueFd open_regular_file(const std::filesystem::path& path, int flags) {
  if (const std::string_view other = other_kind_of(path); !other.empty()) {
    errno = other == "a symbolic link" ? ELOOP : EINVAL;
    return {};
  }
  // The file may have been replaced since, so open it with care and look again.
  UniqueFd fd = open_retrying(path, flags | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) return {};
  if (S_ISREG(status.st_mode)) return fd;
  errno = EINVAL;
  return {};
}

std::string why_distrusted(const struct stat& status, uid_t user) {
  if (status.st_uid != user && status.st_uid != 0) {
    return fmt::format("it belongs to another user (number {})", status.st_uid);
  }
  const bool is_open = (status.st_mode & S_IWOTH) != 0;
  const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  return is_open && !is_sticky ? "every user may write to it (chmod o-w ends that)" : "";
}

}  // namespace virnucpro
