#include "run/spilled_parts.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "journal/unit_blob.hpp"

namespace virnucpro {
namespace {

// The head of a part in the file; `size` is the number of bytes that follow.
struct PartHead {
  std::uint32_t input = 0;
  std::uint32_t size = 0;
};

}  // namespace

// Writes a part as a whole unit, because a unit has a checksum, which detects damage by the disk.
void SpilledParts::add(const SequencePart& part) {
  const std::string bytes = encode_unit({.input = part.input, .index = 0, .parts = {part}});
  const PartHead head{.input = part.input, .size = static_cast<std::uint32_t>(bytes.size())};
  file_.append(bytes_of(head));
  file_.append(bytes);
}

SpilledParts::Reader::Reader(const SpilledParts& parts, std::size_t run, std::size_t bytes_at_once)
    : file_(&parts.file_), bytes_at_once_(bytes_at_once), offset_(parts.begins_.at(run)) {
  end_ = run + 1 < parts.begins_.size() ? parts.begins_[run + 1] : parts.file_.size();
}

std::optional<SequencePart> SpilledParts::Reader::next() {
  if (offset_ == end_ && taken_ == buffer_.size()) return std::nullopt;
  const auto head = value_at<PartHead>(take(sizeof(PartHead)));
  Unit unit = decode_unit(as_bytes(take(head.size)), head.input, 0, "temporary file");
  return std::move(unit.parts.front());
}

std::string_view SpilledParts::Reader::take(std::size_t size) {
  if (buffer_.size() - taken_ < size) {
    buffer_.erase(0, taken_);
    taken_ = 0;
    const std::size_t kept = buffer_.size();
    const std::uint64_t wanted = std::max(size - kept, bytes_at_once_);
    const auto more = static_cast<std::size_t>(std::min(wanted, end_ - offset_));
    // Free the memory that one long part needed.
    if (buffer_.capacity() > 2 * (kept + more)) buffer_.shrink_to_fit();
    buffer_.resize(kept + more);
    file_->read(offset_, std::span(buffer_).subspan(kept));
    offset_ += more;
  }
  taken_ += size;
  return std::string_view(buffer_).substr(taken_ - size, size);
}

}  // namespace virnucpro
