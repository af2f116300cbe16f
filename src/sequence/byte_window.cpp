#include "sequence/byte_window.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kWindowBytes = 64U << 10U;

}  // namespace

ByteWindow::ByteWindow(ByteSource& source) : source_(source), buffer_(kWindowBytes) {}

bool ByteWindow::at_end() {
  return begin_ == end_ && !fill();
}

std::string_view ByteWindow::read(std::size_t size) {
  require(size);
  const std::string_view bytes(buffer_.data() + begin_, size);
  begin_ += size;
  return bytes;
}

std::string_view ByteWindow::read_some(std::uint64_t most) {
  require(1);
  const std::size_t size = std::min<std::uint64_t>(most, end_ - begin_);
  const std::string_view bytes(buffer_.data() + begin_, size);
  begin_ += size;
  return bytes;
}

void ByteWindow::skip(std::uint64_t size) {
  while (size != 0) size -= read_some(size).size();
}

std::uint64_t ByteWindow::skip_past(char last, std::uint64_t most) {
  std::uint64_t skipped = 0;
  while (skipped != most) {
    require(1);
    const std::size_t size = std::min<std::uint64_t>(most - skipped, end_ - begin_);
    const std::size_t found = std::string_view(buffer_.data() + begin_, size).find(last);
    const bool is_there = found != std::string_view::npos;
    begin_ += is_there ? found + 1 : size;
    skipped += is_there ? found + 1 : size;
    if (is_there) return skipped;
  }
  return 0;
}

void ByteWindow::require(std::size_t size) {
  while (end_ - begin_ < size) {
    if (!fill()) throw Error(ErrorKind::kInputTruncated, "");
  }
}

// Moves the unread bytes to the buffer's start and appends more. Returns false at the text's end.
bool ByteWindow::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  buffer_offset_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  const std::size_t count = source_.read(std::span(buffer_).subspan(end_));
  hash_.update(as_bytes({buffer_.data() + end_, count}));
  end_ += count;
  return count != 0;
}

}  // namespace virnucpro
