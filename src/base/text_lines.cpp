#include "base/text_lines.hpp"

#include <algorithm>
#include <span>

namespace virnucpro {
namespace {

constexpr std::size_t kReadBytes = 256U << 10U;

}  // namespace

FileLines::FileLines(const std::filesystem::path& path, std::size_t longest)
    : file_(path), longest_(longest) {}

FileLines::Found FileLines::next() {
  std::size_t seen = 0;  // bytes without a line end
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

// Reads the next block behind the bytes not passed yet; false at the end of the file.
bool FileLines::read_more() {
  const std::size_t more = std::min<std::uint64_t>(kReadBytes, file_.size() - read_);
  if (more == 0) return false;
  block_.erase(0, at_);
  at_ = 0;
  const std::size_t before = block_.size();
  block_.resize(before + more);
  file_.read(read_, std::as_writable_bytes(std::span(block_).subspan(before)));
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
