#include "weights/file_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

// Bytes read at once. The headers in a ZIP are so far apart that larger blocks would not help.
constexpr std::uint64_t kBlockBytes = 4096;

}  // namespace

void FileReader::seek(std::uint64_t offset) {
  if (offset > size()) {
    fail(ErrorKind::kWeightsTruncated, "an offset points beyond the end of the file");
  }
  offset_ = offset;
}

Extent FileReader::skip(std::uint64_t size) {
  if (size > this->size() - offset_) {
    fail(ErrorKind::kWeightsTruncated,
         fmt::format("the file ends within a field of {} bytes", size));
  }
  const Extent part{offset_, size};
  offset_ += size;
  return part;
}

std::string_view FileReader::text(std::uint64_t size) {
  const Extent part = skip(size);
  const bool is_here = part.offset >= block_offset_ &&
                       range_within(part.offset - block_offset_, size, block_.size());
  if (!is_here) {
    block_.resize(std::min(std::max(size, kBlockBytes), this->size() - part.offset));
    block_offset_ = part.offset;
    file_.read(block_offset_, block_);
  }
  return as_text(block_).substr(part.offset - block_offset_, size);
}

void FileReader::fail(ErrorKind kind, std::string why) const {
  throw Error(kind, Place{.file = file_.path().string(), .offset = offset_}, std::move(why));
}

}  // namespace virnucpro
