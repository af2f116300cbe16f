#include "run/id_growth.hpp"

#include <algorithm>
#include <optional>

#include "base/log.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

// Warn if the tables have at least this many id bytes per letter. With usual ids of 40 bytes, the
// tables have 5 for chunks of 60 letters, and fewer for larger chunks.
constexpr std::uint64_t kUsualGrowth = 20;
constexpr std::uint64_t kFewBytes = 64U << 20U;

// Returns the number of the part's rows in the tables of frames and chunks.
std::uint64_t rows_of(const SequencePart& part) {
  std::uint64_t chunks = 0;
  for_each_chunk(part.frames, [&chunks](std::span<const FrameScore>) { ++chunks; });
  return part.frames.size() + chunks;
}

}  // namespace

void IdGrowth::add(const SequencePart& part) {
  if (begins_) letters_ += part.length;
  begins_ = part.last;
  id_bytes_ += rows_of(part) * part.id.size();
  longest_ = std::max<std::uint64_t>(longest_, part.id.size());
  if (warned_ || id_bytes_ < kFewBytes || id_bytes_ / kUsualGrowth < letters_) return;
  warned_ = true;
  log_warning(
      "the tables will be large: the ids in them take {} bytes so far, for {} letters; the longest "
      "id has {} bytes. Shorten the ids, or refuse long ones with --max-id-length",
      grouped(id_bytes_), grouped(letters_), grouped(longest_));
}

}  // namespace virnucpro
