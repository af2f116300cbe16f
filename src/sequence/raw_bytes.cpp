#include "sequence/raw_bytes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.hpp"

namespace virnucpro {

RawBytes::RawBytes(UniqueFd fd) : fd_(std::move(fd)), buffer_(kWindow) {}

std::string_view RawBytes::peek(std::size_t size) {
  while (end_ - begin_ < size && fill()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

// Moves remaining bytes to the buffer's start and appends more. Returns false at the input's end.
bool RawBytes::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  before_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  ssize_t count = 0;
  do {
    count = ::read(fd_.get(), buffer_.data() + end_, buffer_.size() - end_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw Error(kind_of_failure(errno, ErrorKind::kInputRead), errno_text(errno));
  end_ += static_cast<std::size_t>(count);
  return count > 0;
}

}  // namespace virnucpro
