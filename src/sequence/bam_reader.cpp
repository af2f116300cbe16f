#include "sequence/bam_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "sequence/bam_tags.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kMagic = "BAM\1";
constexpr std::string_view kCodes = "=ACMGRSVTWYHKDBN";
constexpr std::size_t kFixedBytes = 32;  // a record's fixed part, after its size field
constexpr std::uint32_t kMostInt32 = 0x7fffffff;
constexpr unsigned char kNoQuality = 0xff;  // the first quality of a read without qualities
constexpr unsigned char kMostQuality = 93;  // the highest quality that FASTQ can write

// The two letters that each byte of a packed sequence encodes.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = {kCodes[byte >> 4U], kCodes[byte & 15U]};
  }
  return table;
}();

}  // namespace

// The sizes and fields of a record's fixed part.
struct BamReader::Layout {
  std::uint64_t offset = 0;  // the record's byte offset
  std::uint64_t size = 0;    // number of bytes after the size field
  std::int32_t reference = 0;
  std::int32_t mate_reference = 0;
  std::uint64_t name = 0;   // size in bytes
  std::uint64_t cigar = 0;  // size in bytes
  unsigned flags = 0;
  unsigned mapping_quality = 0;
  std::uint32_t letters = 0;

  std::uint64_t packed() const { return (std::uint64_t{letters} + 1) / 2; }
  std::uint64_t before_letters() const { return kFixedBytes + name + cigar; }
  // The tags follow the qualities, which have one byte for each letter.
  std::uint64_t before_tags() const { return before_letters() + packed() + letters; }
};

BamReader::BamReader(ByteSource& source, std::string file, Qualities qualities)
    : bytes_(source), file_(std::move(file)), keeps_qualities_(qualities == Qualities::kKeep) {}

// Calls `read`. If the call throws an error that names no file, adds file, record and offset.
template <typename Read>
auto BamReader::placing_errors(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    if (!error.place().file.empty()) throw;
    const bool own = error.detail().empty();  // an error of ByteWindow has no place and no detail
    throw error.placed(
        Place{.file = file_, .record = records_ + 1, .offset = bytes_.bytes()},
        own ? fmt::format("within a BAM {}", in_header_ ? "header" : "record") : error.detail());
  }
}

std::optional<SequenceRecord> BamReader::next() {
  return placing_errors([this] {
    if (in_header_) read_header(nullptr);
    return read_record();
  });
}

const ReferenceList& BamReader::references() {
  placing_errors([this] {
    if (in_header_) read_header(&references_);
  });
  return references_;
}

std::optional<MappedAlignment> BamReader::next_mapped() {
  return placing_errors([this] {
    if (in_header_) read_header(&references_);
    return read_mapped();
  });
}

// Reads the header. Adds its sequences to `references`; skips them if `references` is null.
void BamReader::read_header(ReferenceList* references) {
  if (bytes_.read(kMagic.size()) != kMagic) fail(0, "it does not begin with BAM's magic number");
  bytes_.skip(bytes_.read_u32());
  const std::uint64_t offset = bytes_.offset();
  reference_count_ = bytes_.read_u32();
  if (reference_count_ > kMostInt32) {
    fail(offset, "the header gives a negative number of references");
  }
  for (std::uint32_t i = 0; i < reference_count_; ++i) {
    const std::uint64_t name = bytes_.read_u32();
    if (references == nullptr) {
      bytes_.skip(name);
      bytes_.skip(sizeof(std::uint32_t));  // the reference's length
      continue;
    }
    const std::string text = read_reference_name(name);
    const std::uint32_t length = bytes_.read_u32();
    if (length > kMostInt32) {
      fail(bytes_.offset() - sizeof(length),
           fmt::format("the header gives the reference {} a negative length", shown_text(text)));
    }
    references->add(text, length);
  }
  if (references != nullptr) references->index();
  in_header_ = false;
}

std::string BamReader::read_reference_name(std::uint64_t size) {
  constexpr const char* kNoEnd = "a reference's name in the header does not end with a NUL byte";
  const std::uint64_t offset = bytes_.offset();
  if (size == 0) fail(offset, kNoEnd);
  ReferenceList::require_short(size - 1);  // a longer name does not fit in the window
  std::string_view name = bytes_.read(size);
  if (name.back() != '\0') fail(offset, kNoEnd);
  name.remove_suffix(1);
  if (!is_one_word(name)) {
    fail(offset,
         fmt::format("the header has a reference with the name \"{}\", which is not one word",
                     shown_text(name)));
  }
  return std::string(name);
}

std::optional<SequenceRecord> BamReader::read_record() {
  while (!bytes_.at_end()) {
    const Layout layout = read_layout();
    check_layout(layout);
    if (skipped_.skip(layout.flags)) {
      bytes_.skip(layout.size - kFixedBytes);
      ++records_;
      continue;
    }
    SequenceRecord read;
    read.header = read_name(layout);
    bytes_.skip(layout.cigar);
    read.letters = read_letters(layout.letters);
    std::uint64_t rest = layout.size - layout.before_letters() - layout.packed();
    if (keeps_qualities_) {
      read.qualities = read_qualities(layout.letters);
      rest -= layout.letters;
    }
    bytes_.skip(rest);
    read.number = ++records_;
    return original_read(layout.flags, std::move(read));
  }
  return std::nullopt;
}

std::optional<MappedAlignment> BamReader::read_mapped() {
  while (!bytes_.at_end()) {
    const Layout layout = read_layout();
    check_layout(layout);
    std::optional<MappedAlignment> found;
    if (unplaced_.skip(layout.flags)) {
      bytes_.skip(layout.size - kFixedBytes);
    } else {
      found = read_facts(layout);
    }
    ++records_;
    if (found) return found;
  }
  return std::nullopt;
}

MappedAlignment BamReader::read_facts(const Layout& layout) {
  if (layout.reference < 0) {
    fail(layout.offset, "the read is marked as mapped, but names no reference");
  }
  MappedAlignment found{.name = read_name(layout),
                        .flags = layout.flags,
                        .reference = static_cast<std::uint32_t>(layout.reference),
                        .mapping_quality = layout.mapping_quality,
                        .number = records_ + 1};
  const bool is_elsewhere = read_cigar(layout, found.cigar);
  bytes_.skip(layout.packed() + layout.letters);
  const BamTags tags = read_bam_tags(bytes_, layout.size - layout.before_tags());
  if (is_elsewhere && tags.cigar) found.cigar = *tags.cigar;
  found.edit_distance = tags.edit_distance;
  require_facts(found, layout.letters, layout.offset);
  return found;
}

// Reads a CIGAR. Returns true if it is a placeholder for the tag CG: one clip of all letters, then
// one skip of reference letters (SAM specification, 4.2.2).
bool BamReader::read_cigar(const Layout& layout, CigarSums& cigar) {
  constexpr std::uint32_t kSkipped = 3;  // the operation N
  constexpr std::uint32_t kClipped = 4;  // the operation S
  const std::uint64_t count = layout.cigar / sizeof(std::uint32_t);
  bool is_sign = count == 2;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = bytes_.offset();
    const std::uint32_t operation = bytes_.read_u32();
    if (!add_bam_operation(cigar, operation))
      fail(offset, "CIGAR holds an operation that is unknown or too long");
    const std::uint32_t code = operation & 15U;
    is_sign = is_sign &&
              (i == 0 ? code == kClipped && operation >> 4U == layout.letters : code == kSkipped);
  }
  return is_sign;
}

BamReader::Layout BamReader::read_layout() {
  Layout layout{.offset = bytes_.offset(), .size = bytes_.read_u32()};
  if (layout.size < kFixedBytes || layout.size > kMostInt32) {
    fail(layout.offset, fmt::format("the record's size is {} bytes; it must be {} to {}",
                                    layout.size, kFixedBytes, kMostInt32));
  }
  const std::string_view fixed = bytes_.read(kFixedBytes);
  layout.reference = value_at<std::int32_t>(fixed, 0);
  layout.name = value_at<std::uint8_t>(fixed, 8);
  layout.mapping_quality = value_at<std::uint8_t>(fixed, 9);
  layout.cigar = std::uint64_t{value_at<std::uint16_t>(fixed, 12)} * sizeof(std::uint32_t);
  layout.flags = value_at<std::uint16_t>(fixed, 14);
  layout.letters = value_at<std::uint32_t>(fixed, 16);
  layout.mate_reference = value_at<std::int32_t>(fixed, 20);
  return layout;
}

void BamReader::check_layout(const Layout& layout) const {
  const std::uint64_t needed = layout.before_tags();
  if (needed > layout.size) {
    fail(layout.offset, fmt::format("the record's fields need {} bytes, but the record has {}",
                                    needed, layout.size));
  }
  for (const std::int32_t reference : {layout.reference, layout.mate_reference}) {
    if (reference >= -1 && reference < static_cast<std::int64_t>(reference_count_)) continue;
    fail(layout.offset,
         fmt::format(
             "the record names reference {} (the first is 0), but the header has {} references",
             reference, reference_count_));
  }
}

std::string BamReader::read_name(const Layout& layout) {
  const std::uint64_t offset = bytes_.offset();
  std::string_view name = bytes_.read(layout.name);
  if (name.empty() || name.back() != '\0') {
    fail(offset, "the read's name does not end with a NUL byte");
  }
  name.remove_suffix(1);
  if (!is_one_word(name)) {
    fail(offset, fmt::format("the read's name \"{}\" is not one word", shown_text(name)));
  }
  return std::string(name);
}

std::string BamReader::read_letters(std::uint32_t count) {
  std::string letters;
  std::uint64_t left = (std::uint64_t{count} + 1) / 2;
  while (left != 0) {
    const std::string_view packed = bytes_.read_some(left);
    left -= packed.size();
    for (const char byte : packed) {
      const auto& pair = kPairs[static_cast<unsigned char>(byte)];
      letters.append(pair.data(), pair.size());
    }
  }
  letters.resize(count);  // with an odd count, the last half byte is padding
  return letters;
}

// Returns the qualities as the characters of FASTQ; empty if the record has no qualities.
std::string BamReader::read_qualities(std::uint32_t count) {
  std::string qualities;
  bool has_some = true;
  while (qualities.size() < count) {
    for (const char byte : bytes_.read_some(count - qualities.size())) {
      const auto quality = static_cast<unsigned char>(byte);
      if (qualities.empty()) has_some = quality != kNoQuality;
      qualities += static_cast<char>('!' + std::min(quality, kMostQuality));
    }
  }
  return has_some ? qualities : std::string();
}

void BamReader::fail(std::uint64_t offset, std::string detail) const {
  throw Error(ErrorKind::kInputMalformed,
              Place{.file = file_, .record = records_ + 1, .offset = offset}, std::move(detail));
}

}  // namespace virnucpro
