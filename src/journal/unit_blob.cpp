#include "journal/unit_blob.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/checked.hpp"
#include "base/hash.hpp"
#include "journal/row_bytes.hpp"
#include "sequence/frames.hpp"

namespace virnucpro {
namespace {

constexpr std::uint8_t kVersion = 2;
constexpr std::size_t kChecksumSize = 4;
constexpr std::size_t kSmallestPart = 10;  // six fields of one byte and a hash
constexpr std::size_t kSmallestFrame = 1;  // a failed one
constexpr unsigned kNameBits = 3;
constexpr unsigned kChunkShift = kNameBits + 1;
constexpr std::uint8_t kSkipMask = 3;
constexpr std::uint8_t kLastFlag = 4;

void encode_frames(const std::vector<FrameScore>& frames, RowWriter& out) {
  out.varint(frames.size());
  std::uint64_t chunk = 0;
  for (const FrameScore& frame : frames) {
    const std::uint64_t failed = frame.failed ? 1U : 0U;
    out.varint((frame.chunk - chunk) << kChunkShift | failed << kNameBits | frame.name);
    chunk = frame.chunk;
    if (frame.failed) continue;
    out.fixed32(std::bit_cast<std::uint32_t>(frame.others));
    out.fixed32(std::bit_cast<std::uint32_t>(frame.virus));
  }
}

void encode_part(const SequencePart& part, RowWriter& out) {
  out.varint(part.input);
  out.text(part.id);
  out.varint(part.length);
  out.varint(part.chunks);
  out.fixed32(part.letters_hash);
  const auto skip = static_cast<unsigned>(part.skip);
  out.byte(static_cast<std::uint8_t>(skip | (part.last ? unsigned{kLastFlag} : 0U)));
  encode_frames(part.frames, out);
}

// Frames are sorted by chunk, then name; a frame must come after the one before.
FrameScore decode_frame(std::uint64_t chunks, const FrameScore* before, RowReader& in) {
  const std::uint64_t head = in.varint();
  const auto chunk = checked_add(before != nullptr ? before->chunk : 0, head >> kChunkShift);
  FrameScore frame;
  frame.name = static_cast<std::uint8_t>(head & ((1U << kNameBits) - 1U));
  frame.failed = (head >> kNameBits & 1U) != 0;
  if (frame.name >= kFrameNames.size()) in.fail("names a frame that does not exist");
  if (!chunk || *chunk >= chunks) in.fail("names a chunk that its sequence does not have");
  frame.chunk = *chunk;
  if (before != nullptr && before->chunk == frame.chunk && before->name >= frame.name) {
    in.fail("has frames out of order");
  }
  if (frame.failed) return frame;
  frame.others = std::bit_cast<float>(in.fixed32());
  frame.virus = std::bit_cast<float>(in.fixed32());
  return frame;
}

SequencePart decode_part(RowReader& in) {
  SequencePart part;
  const auto input = narrow<std::uint32_t>(in.varint());
  if (!input) in.fail("names an input that does not exist");
  part.input = *input;
  part.id = in.text();
  part.length = in.varint();
  part.chunks = in.varint();
  part.letters_hash = in.fixed32();
  const std::uint8_t flags = in.byte();
  const unsigned skip = flags & kSkipMask;
  if (skip > static_cast<unsigned>(Skip::kTooShort) || flags > (kSkipMask | kLastFlag)) {
    in.fail("holds flags that are not known");
  }
  part.skip = static_cast<Skip>(skip);
  part.last = (flags & kLastFlag) != 0;
  if (part.skip != Skip::kNone && part.chunks != 0) in.fail("has chunks in a skipped sequence");
  const std::size_t frames = in.count(kSmallestFrame);
  part.frames.reserve(frames);
  for (std::size_t k = 0; k < frames; ++k) {
    const FrameScore* before = part.frames.empty() ? nullptr : &part.frames.back();
    part.frames.push_back(decode_frame(part.chunks, before, in));
  }
  return part;
}

}  // namespace

std::string seal_unit(std::string bytes) {
  RowWriter checksum;
  checksum.fixed32(crc32c(as_bytes(bytes)));
  return std::move(bytes) + checksum.bytes();
}

std::string encode_unit(const Unit& unit) {
  RowWriter out;
  out.byte(kVersion);
  out.varint(unit.index);
  out.varint(unit.parts.size());
  for (const SequencePart& part : unit.parts) encode_part(part, out);
  return seal_unit(std::move(out.bytes()));
}

Unit decode_unit(std::span<const std::byte> blob, std::uint64_t index, const std::string& file) {
  const std::string what = fmt::format("unit {}", index);
  const std::size_t size = blob.size() < kChecksumSize ? 0 : blob.size() - kChecksumSize;
  RowReader checksum(blob.subspan(size), file, what);
  if (checksum.fixed32() != crc32c(blob.first(size))) checksum.fail("its checksum does not fit");
  RowReader in(blob.first(size), file, what);
  if (in.byte() != kVersion) in.fail("is of another version of the program");
  Unit unit;
  unit.index = in.varint();
  if (unit.index != index) in.fail(fmt::format("says that it is unit {}", unit.index));
  const std::size_t parts = in.count(kSmallestPart);
  unit.parts.reserve(parts);
  for (std::size_t k = 0; k < parts; ++k) unit.parts.push_back(decode_part(in));
  if (!in.at_end()) in.fail("has bytes left over");
  return unit;
}

}  // namespace virnucpro
