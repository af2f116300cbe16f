#include "journal/unit_blob.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "sequence/frames.hpp"

namespace virnucpro {
namespace {

constexpr std::uint8_t kVersion = 4;
constexpr std::uint8_t kOldestVersion = 3;  // its units do not mark mates
constexpr std::size_t kChecksumSize = 4;
constexpr std::size_t kSmallestPart = 9;   // five fields of one byte each, and a hash
constexpr std::size_t kSmallestFrame = 1;  // one byte: a failed frame
constexpr unsigned kNameBits = 3;
constexpr unsigned kChunkShift = kNameBits + 1;
constexpr std::uint8_t kSkipMask = 3;
constexpr std::uint8_t kLastFlag = 4;
constexpr std::uint8_t kWithPreviousFlag = 8;

// Reads a unit's bytes. Errors: kJournalDamaged, naming the file and the unit.
class BlobReader : public ByteReader {
 public:
  BlobReader(std::span<const std::byte> bytes, std::string file, std::string unit)
      : ByteReader(bytes, std::move(file), ErrorKind::kJournalDamaged), unit_(std::move(unit)) {}

 private:
  Error error(std::string why) const override {
    return Error(ErrorKind::kJournalDamaged, Place{.file = file()},
                 fmt::format("{} {}", unit_, why));
  }
  std::string why_cut(std::uint64_t /*size*/) const override { return "ends too early"; }

  std::string unit_;
};

void encode_frames(const std::vector<FrameScore>& frames, ByteWriter& out) {
  out.varint(frames.size());
  std::uint64_t chunk = 0;
  for (const FrameScore& frame : frames) {
    const std::uint64_t failed = frame.failed ? 1U : 0U;
    out.varint((frame.chunk - chunk) << kChunkShift | failed << kNameBits | frame.name);
    chunk = frame.chunk;
    if (frame.failed) continue;
    out.number(frame.scores.others).number(frame.scores.virus);
  }
}

void encode_part(const SequencePart& part, ByteWriter& out) {
  out.text(part.id);
  out.varint(part.length);
  out.varint(part.chunks);
  out.number(part.letters_hash);
  unsigned flags = static_cast<unsigned>(part.skip);
  if (part.last) flags |= kLastFlag;
  if (part.with_previous) flags |= kWithPreviousFlag;
  out.number(static_cast<std::uint8_t>(flags));
  encode_frames(part.frames, out);
}

// Decodes a frame. Frames are ordered by chunk, then name, so the frame must come after `before`.
FrameScore decode_frame(std::uint64_t chunks, const FrameScore* before, BlobReader& in) {
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
  frame.scores.others = in.number<float>();
  frame.scores.virus = in.number<float>();
  return frame;
}

SequencePart decode_part(BlobReader& in) {
  SequencePart part;
  part.id = in.text();
  part.length = in.varint();
  part.chunks = in.varint();
  part.letters_hash = in.number<std::uint32_t>();
  const auto flags = in.number<std::uint8_t>();
  const unsigned skip = flags & kSkipMask;
  if (skip > static_cast<unsigned>(Skip::kTooShort) ||
      flags > (kSkipMask | kLastFlag | kWithPreviousFlag)) {
    in.fail("has unknown flags");
  }
  part.skip = static_cast<Skip>(skip);
  part.last = (flags & kLastFlag) != 0;
  part.with_previous = (flags & kWithPreviousFlag) != 0;
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
  const std::uint32_t checksum = crc32c(as_bytes(bytes));
  return std::move(bytes) + std::string(bytes_of(checksum));
}

std::string encode_unit(const Unit& unit) {
  ByteWriter out;
  out.number(kVersion);
  out.varint(unit.input);
  out.varint(unit.index);
  out.varint(unit.parts.size());
  for (const SequencePart& part : unit.parts) encode_part(part, out);
  return seal_unit(std::move(out.bytes()));
}

Unit decode_unit(std::span<const std::byte> blob, std::uint32_t input, std::uint64_t index,
                 const std::string& file) {
  const std::string name = unit_name(input, index);
  const std::size_t size = blob.size() < kChecksumSize ? 0 : blob.size() - kChecksumSize;
  BlobReader checksum(blob.subspan(size), file, name);
  if (checksum.number<std::uint32_t>() != crc32c(blob.first(size))) {
    checksum.fail("has a wrong checksum");
  }
  BlobReader in(blob.first(size), file, name);
  const auto version = in.number<std::uint8_t>();
  if (version < kOldestVersion || version > kVersion)
    in.fail("is from another version of the program");
  Unit unit{.input = input, .index = index, .parts = {}};
  if (in.varint() != input || in.varint() != index) in.fail("is marked as another unit");
  const std::size_t parts = in.count(kSmallestPart);
  unit.parts.reserve(parts);
  for (std::size_t k = 0; k < parts; ++k) {
    unit.parts.push_back(decode_part(in));
    unit.parts.back().input = input;
  }
  if (in.left() != 0) in.fail("has bytes left over");
  return unit;
}

}  // namespace virnucpro
