#include "sequence/line_reader.hpp"

#include <cstring>
#include <span>

#include "base/text_file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kBlockBytes = 256U << 10U;

}  // namespace

LineReader::LineReader(ByteSource& source) : source_(source), buffer_(kBlockBytes) {}

bool LineReader::next(LinePiece& piece) {
  if (!peek()) return false;
  const char* const text = buffer_.data() + begin_;
  std::size_t size = find_line_feed() - begin_;
  bool ends = line_feed_ != end_;
  if (const void* found = std::memchr(text, '\r', size)) {
    size = static_cast<std::size_t>(static_cast<const char*>(found) - text);
    ends = true;
  }
  piece = {.text = {text, size}, .offset = offset(), .ends_line = ends};
  begin_ += size;
  if (ends) skip_line_end();
  return true;
}

std::optional<char> LineReader::peek() {
  while (begin_ == end_) {
    if (!fill()) return std::nullopt;
    if (after_cr_ && buffer_[begin_] == '\n') ++begin_;
    after_cr_ = false;
  }
  return buffer_[begin_];
}

std::string_view LineReader::start() {
  if (!peek() || begin_ != 0) return {};
  return {buffer_.data(), end_};
}

// Returns the index of the next line feed in the buffer. Remembers the index, because a new search
// at every lone CR would take time that grows with the square of the window's size.
std::size_t LineReader::find_line_feed() {
  if (line_feed_ > begin_) return line_feed_;
  const char* const text = buffer_.data();
  const void* found = std::memchr(text + begin_, '\n', end_ - begin_);
  line_feed_ =
      found == nullptr ? end_ : static_cast<std::size_t>(static_cast<const char*>(found) - text);
  return line_feed_;
}

void LineReader::skip_line_end() {
  const bool carriage_return = buffer_[begin_] == '\r';
  ++begin_;
  if (!carriage_return) return;
  if (begin_ == end_) {
    after_cr_ = true;
  } else if (buffer_[begin_] == '\n') {
    ++begin_;
  }
}

bool LineReader::fill() {
  const bool first = bytes() == 0;
  buffer_offset_ += end_;
  begin_ = 0;
  end_ = 0;
  line_feed_ = 0;
  std::size_t count = 0;
  do {  // repeats only at the start of the text: start() needs its first bytes together
    count = source_.read(std::span(buffer_).subspan(end_));
    hash_.update(as_bytes({buffer_.data() + end_, count}));
    end_ += count;
  } while (first && count != 0 && end_ < kStartBytes);
  if (first && std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) {
    begin_ = kByteOrderMark.size();
  }
  return end_ != 0;
}

}  // namespace virnucpro
