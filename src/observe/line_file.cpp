#include "observe/line_file.hpp"

#include <unistd.h>

#include <cerrno>

namespace virnucpro {

int LineFile::append(std::string_view lines) {
  if (fd_.get() < 0) {
    if (const int error = open(); error != 0) return error;
  }
  return write(lines);
}

int LineFile::sync() {
  return fd_.get() < 0 || ::fdatasync(fd_.get()) == 0 ? 0 : errno;
}

int LineFile::open() {
  UniqueFd fd = place_.open_to_append();
  if (fd.get() < 0) return errno;
  fd_ = std::move(fd);
  const off_t size = ::lseek(fd_.get(), 0, SEEK_END);
  // Give the last line an end if it has none (cut or edited), so that the next line stands alone.
  char last = '\n';
  if (size > 0) static_cast<void>(::pread(fd_.get(), &last, 1, size - 1));
  if (size > 0 && last == '\n') return 0;
  const int error = write(size > 0 ? "\n" : header_);
  if (error != 0) fd_.reset();  // so that the next append() tries again
  return error;
}

int LineFile::write(std::string_view text) {
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  const int error = write_all(fd_.get(), text);
  // A full disk may have accepted a part of the text. Remove that part, so that the next line does
  // not join it. If ftruncate() fails, too, nothing more can be done.
  if (error != 0 && end >= 0) static_cast<void>(::ftruncate(fd_.get(), end) == 0);
  return error;
}

}  // namespace virnucpro
