#include "observe/line_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace virnucpro {

int LineFile::append(std::string_view lines) {
  if (fd_.get() < 0) {
    if (const int error = open(); error != 0) return error;
  }
  return write(lines);
}

int LineFile::open() {
  UniqueFd fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (fd.get() < 0) return errno;
  fd_ = std::move(fd);
  if (::lseek(fd_.get(), 0, SEEK_END) > 0) return 0;
  const int error = write(header_);
  if (error != 0) fd_.reset();  // so that the header is tried again
  return error;
}

int LineFile::write(std::string_view text) {
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  const int error = write_all(fd_.get(), text);
  // What a full disk took of the text would run into the next row. A failure here leaves it at
  // that.
  if (error != 0 && end >= 0) static_cast<void>(::ftruncate(fd_.get(), end) == 0);
  return error;
}

}  // namespace virnucpro
