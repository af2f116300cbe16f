#include "sequence/bam_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kMagic = "BAM\1";
constexpr std::string_view kCodes = "=ACMGRSVTWYHKDBN";
constexpr std::size_t kFixedBytes = 32;  // of a record, after its size
constexpr std::uint32_t kMostInt32 = 0x7fffffff;

// The two letters of each byte.
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
  std::uint64_t offset = 0;  // of the record in the text
  std::uint64_t size = 0;    // of the bytes after the size field
  std::int32_t reference = 0;
  std::int32_t mate_reference = 0;
  std::uint64_t name = 0;   // bytes
  std::uint64_t cigar = 0;  // bytes
  unsigned flags = 0;
  std::uint32_t letters = 0;

  std::uint64_t packed() const { return (std::uint64_t{letters} + 1) / 2; }
  std::uint64_t before_letters() const { return kFixedBytes + name + cigar; }
};

BamReader::BamReader(ByteSource& source, std::string file)
    : bytes_(source), file_(std::move(file)) {}

std::optional<SequenceRecord> BamReader::next() {
  try {
    if (in_header_) read_header();
    in_header_ = false;
    return read_record();
  } catch (const Error& error) {
    if (error.place().offset) throw;
    const bool own = error.detail().empty();  // the window throws without place or detail
    throw Error(
        error.kind(), Place{.file = file_, .record = records_ + 1, .offset = bytes_.bytes()},
        own ? fmt::format("within a BAM {}", in_header_ ? "header" : "record") : error.detail());
  }
}

void BamReader::read_header() {
  if (bytes_.read(kMagic.size()) != kMagic) fail(0, "expected the magic number of BAM");
  bytes_.skip(bytes_.read_u32());
  const std::uint64_t offset = bytes_.offset();
  references_ = bytes_.read_u32();
  if (references_ > kMostInt32) fail(offset, "the number of references is negative");
  for (std::uint32_t i = 0; i < references_; ++i) {
    const std::uint64_t name = bytes_.read_u32();
    bytes_.skip(name);
    bytes_.skip(sizeof(std::uint32_t));  // its length
  }
}

// The next record that is not skipped.
std::optional<SequenceRecord> BamReader::read_record() {
  while (!bytes_.at_end()) {
    const Layout layout = read_layout();
    check_layout(layout);
    if (skipped_.skip(layout.flags)) {
      bytes_.skip(layout.size - kFixedBytes);
      ++records_;
      continue;
    }
    std::string name = read_name(layout);
    bytes_.skip(layout.cigar);
    std::string letters = read_letters(layout.letters);
    bytes_.skip(layout.size - layout.before_letters() - layout.packed());
    return original_read(layout.flags, std::move(name), std::move(letters), ++records_);
  }
  return std::nullopt;
}

BamReader::Layout BamReader::read_layout() {
  Layout layout{.offset = bytes_.offset(), .size = bytes_.read_u32()};
  if (layout.size < kFixedBytes || layout.size > kMostInt32) {
    fail(layout.offset, fmt::format("a record of {} bytes is impossible", layout.size));
  }
  const std::string_view fixed = bytes_.read(kFixedBytes);
  layout.reference = value_at<std::int32_t>(fixed, 0);
  layout.name = value_at<std::uint8_t>(fixed, 8);
  layout.cigar = std::uint64_t{value_at<std::uint16_t>(fixed, 12)} * sizeof(std::uint32_t);
  layout.flags = value_at<std::uint16_t>(fixed, 14);
  layout.letters = value_at<std::uint32_t>(fixed, 16);
  layout.mate_reference = value_at<std::int32_t>(fixed, 20);
  return layout;
}

void BamReader::check_layout(const Layout& layout) const {
  const std::uint64_t needed = layout.before_letters() + layout.packed() + layout.letters;
  if (needed > layout.size) {
    fail(layout.offset,
         fmt::format("its parts need {} bytes, the record has {}", needed, layout.size));
  }
  for (const std::int32_t reference : {layout.reference, layout.mate_reference}) {
    if (reference >= -1 && reference < static_cast<std::int64_t>(references_)) continue;
    fail(layout.offset, fmt::format("it lies on reference {} of {}", reference, references_));
  }
}

std::string BamReader::read_name(const Layout& layout) {
  const std::uint64_t offset = bytes_.offset();
  std::string_view name = bytes_.read(layout.name);
  if (name.empty() || name.back() != '\0') fail(offset, "the read's name has no end");
  name.remove_suffix(1);
  if (!is_read_name(name)) fail(offset, "the read's name is not one word");
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
  letters.resize(count);  // an odd count leaves half a byte
  return letters;
}

void BamReader::fail(std::uint64_t offset, std::string detail) const {
  throw Error(ErrorKind::kInputMalformed,
              Place{.file = file_, .record = records_ + 1, .offset = offset}, std::move(detail));
}

}  // namespace virnucpro
