#include "base/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "base/file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kReadBytes = 256U << 10U;

// Returns the length in bytes of the UTF-8 byte-order mark at the beginning of a text: 3, or 0
// without a mark. Windows writes the mark. Errors: `kind` for UTF-16.
std::size_t byte_order_mark(std::string_view start, const std::filesystem::path& file,
                            ErrorKind kind) {
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    throw Error(kind, Place{.file = file.string()}, "it is UTF-16 text; save it as UTF-8");
  }
  return start.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

}  // namespace

std::string read_small_text(const std::filesystem::path& path, std::size_t limit, ErrorKind kind) {
  const Place place{.file = path.string()};
  const UniqueFd fd = open_to_read(path, O_NONBLOCK);  // do not wait for a pipe's writer
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) {
    throw Error(kind_of_reading(errno, kind), place, errno_text(errno));
  }
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    throw Error(kind, place, "it is not a regular file");
  }
  std::string text = read_small_file(fd.get(), path, limit, kind);
  text.erase(0, byte_order_mark(text, path, kind));
  return text;
}

FileLines::FileLines(const std::filesystem::path& path, std::size_t longest)
    : file_(path), longest_(longest) {}

FileLines::Found FileLines::next() {
  std::size_t seen = 0;  // bytes searched so far for a line end
  while (true) {
    const std::string_view rest = std::string_view(block_).substr(at_);
    const std::size_t end = rest.find('\n', seen);
    const bool has_end = end != std::string_view::npos;
    if (in_line_) {
      in_line_ = !has_end;
      at_ += has_end ? end + 1 : rest.size();
      if (!has_end && !read_more()) return Found::kNone;
      continue;
    }
    offset_ = place();
    text_ = rest.substr(0, std::min(end, longest_));
    if (std::min(end, rest.size()) > longest_) {
      in_line_ = true;
      return Found::kTooLong;
    }
    if (has_end) {
      at_ += end + 1;
      return Found::kLine;
    }
    seen = rest.size();
    if (read_more()) continue;
    at_ = block_.size();
    return seen == 0 ? Found::kNone : Found::kWithoutEnd;
  }
}

// Reads the next block and drops the bytes before at_. Returns false at the end of the file.
bool FileLines::read_more() {
  const std::size_t more = std::min<std::uint64_t>(kReadBytes, file_.size() - read_);
  if (more == 0) return false;
  block_.erase(0, at_);
  at_ = 0;
  const std::size_t before = block_.size();
  block_.resize(before + more);
  file_.read(read_, std::as_writable_bytes(std::span(block_).subspan(before)));
  if (read_ == 0) at_ = byte_order_mark(block_, file_.path(), ErrorKind::kInputFormat);
  read_ += more;
  return true;
}

void for_each_line(const std::filesystem::path& file,
                   const std::function<void(std::string_view)>& visit, std::size_t longest) {
  FileLines lines(file, longest);
  for (FileLines::Found found = lines.next();
       found == FileLines::Found::kLine || found == FileLines::Found::kTooLong;
       found = lines.next()) {
    visit(found == FileLines::Found::kLine ? lines.text() : std::string_view{});
  }
}

}  // namespace virnucpro
