#include "sequence/sam_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.hpp"

namespace virnucpro {
namespace {

// The mandatory fields of a SAM line, in order.
enum Field : std::size_t {
  kName,
  kFlag,
  kReference,
  kPosition,
  kMappingQuality,
  kCigar,
  kMateReference,
  kMatePosition,
  kTemplateLength,
  kSequence,
  kQualities,
  kFields
};
constexpr std::array<const char*, kFields> kFieldNames{
    "QNAME", "FLAG", "RNAME", "POS", "MAPQ", "CIGAR", "RNEXT", "PNEXT", "TLEN", "SEQ", "QUAL"};

constexpr std::string_view kNoLetters = "*";
constexpr std::size_t kMostName = 254;
constexpr std::size_t kMostNumber = 20;
constexpr unsigned kMostFlags = 0xffff;
constexpr std::int64_t kMostMappingQuality = 255;
constexpr std::size_t kMostHeaderLine = 256U << 10U;  // bytes of a header line @SQ
constexpr std::string_view kReferenceLine = "@SQ\t";
constexpr std::string_view kDistanceTag = "NM:";
constexpr std::string_view kDistanceHead = "NM:i:";
// How many of a tag's first bytes are kept: enough for NM, the only tag that is used.
constexpr std::size_t kMostTag = kDistanceHead.size() + kMostNumber;

bool is_number(std::size_t field) {
  return field == kFlag || field == kPosition || field == kMappingQuality ||
         field == kMatePosition || field == kTemplateLength;
}

bool is_letter(char letter) {
  const char lower = static_cast<char>(letter | 0x20);
  return (lower >= 'a' && lower <= 'z') || letter == '=' || letter == '.';
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Reads a CIGAR that comes in pieces.
class CigarText {
 public:
  // Adds a character. Returns false if a valid CIGAR cannot have it here.
  bool add(char letter) {
    if (is_star_ || (letter == '*' && (has_digits_ || has_operations_))) return false;
    if (letter == '*') return is_star_ = true;
    if (letter < '0' || letter > '9') {
      has_operations_ = true;
      return std::exchange(has_digits_, false) && sums_.add(letter, std::exchange(length_, 0));
    }
    has_digits_ = true;
    length_ = length_ * 10 + static_cast<unsigned>(letter - '0');
    return length_ <= CigarSums::kMost;
  }
  bool is_whole() const { return !has_digits_; }
  const CigarSums& sums() const { return sums_; }

 private:
  CigarSums sums_;
  std::uint64_t length_ = 0;
  bool has_digits_ = false;
  bool has_operations_ = false;
  bool is_star_ = false;
};

}  // namespace

// The part of a line that was read so far.
struct SamReader::Line {
  std::size_t field = 0;         // index of the field being read
  std::uint64_t field_size = 0;  // bytes of this field so far
  std::string name;
  std::string number;  // the field's text, if it is a number
  unsigned flags = 0;
  std::string letters;  // kNoLetters if there are none
  std::uint64_t qualities = 0;
  std::string kept_qualities;  // empty unless qualities are asked for
  bool only_star = false;      // the qualities so far are '*'

  // The members below are set only for next_mapped(), and only if the read is mapped.
  bool has_facts = false;
  std::uint64_t begin = 0;
  std::string reference;
  std::uint64_t mapping_quality = 0;
  CigarText cigar;
  std::string tag;  // the beginning of the tag being read
  std::optional<std::uint64_t> edit_distance;
};

SamReader::SamReader(ByteSource& source, std::string file, Qualities qualities)
    : lines_(source), file_(std::move(file)), keeps_qualities_(qualities == Qualities::kKeep) {}

// Calls `read`. If the call throws an error that names no file, adds file, record and offset.
template <typename Read>
auto SamReader::placing_errors(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    if (!error.place().file.empty()) throw;
    throw error.placed(Place{.file = file_, .record = records_ + 1, .offset = lines_.bytes()},
                       error.detail());
  }
}

std::optional<SequenceRecord> SamReader::next() {
  return placing_errors([this] {
    if (in_header_) read_header();
    return read_record();
  });
}

const ReferenceList& SamReader::references() {
  wants_facts_ = true;
  placing_errors([this] {
    if (in_header_) read_header();
  });
  return references_;
}

std::optional<MappedAlignment> SamReader::next_mapped() {
  references();
  return placing_errors([this] { return read_mapped(); });
}

void SamReader::read_header() {
  while (lines_.peek() == '@') {
    const std::uint64_t begin = lines_.offset();
    std::string line;  // the beginning of the line
    LinePiece piece;
    do {
      next_piece(piece);
      refuse_nul(piece.text, piece.offset);
      if (wants_facts_) line += piece.text.substr(0, kMostHeaderLine + 1 - line.size());
    } while (!piece.ends_line);
    if (line.starts_with(kReferenceLine)) add_reference(line, begin);
  }
  references_.index();
  in_header_ = false;
}

void SamReader::add_reference(const std::string& line, std::uint64_t offset) {
  if (line.size() > kMostHeaderLine) {
    throw Error(ErrorKind::kInputMalformed, Place{.offset = offset},
                fmt::format("a line @SQ has more than {} bytes", kMostHeaderLine))
        .advised("Shorten this line of the header: samtools reheader replaces the header.");
  }
  std::string_view name;
  std::optional<std::uint64_t> length;
  for (const std::string_view field : split_list(line, '\t')) {
    if (field.starts_with("SN:")) name = field.substr(3);
    if (field.starts_with("LN:")) length = parse_count(field.substr(3));
  }
  if (!is_one_word(name)) {
    fail(ErrorKind::kInputMalformed, offset, "a line @SQ has no name (SN) of one word");
  }
  if (!length) fail(ErrorKind::kInputMalformed, offset, "a line @SQ has no length (LN)");
  references_.add(name, *length);
}

std::optional<SequenceRecord> SamReader::read_record() {
  while (lines_.peek()) {
    Line line = read_line();
    ++records_;
    if (skipped_.skip(line.flags)) continue;
    if (line.letters == kNoLetters) line.letters.clear();
    if (line.only_star) line.kept_qualities.clear();
    return original_read(line.flags, {.header = std::move(line.name),
                                      .letters = std::move(line.letters),
                                      .qualities = std::move(line.kept_qualities),
                                      .number = records_});
  }
  return std::nullopt;
}

std::optional<MappedAlignment> SamReader::read_mapped() {
  while (lines_.peek()) {
    Line line = read_line();
    std::optional<MappedAlignment> found;
    if (!unplaced_.skip(line.flags)) found = facts_of(line);
    ++records_;
    if (found) return found;
  }
  return std::nullopt;
}

MappedAlignment SamReader::facts_of(Line& line) const {
  const std::optional<std::uint32_t> reference = references_.find(line.reference);
  if (!reference) {
    fail(ErrorKind::kInputMalformed, line.begin,
         fmt::format("the read is marked as mapped, but its RNAME {} is not in the header",
                     shown_text(line.reference)));
  }
  MappedAlignment found{.name = std::move(line.name),
                        .flags = line.flags,
                        .reference = *reference,
                        .mapping_quality = static_cast<unsigned>(line.mapping_quality),
                        .cigar = line.cigar.sums(),
                        .edit_distance = line.edit_distance,
                        .number = records_ + 1};
  require_facts(found, line.letters == kNoLetters ? 0 : line.letters.size(), line.begin);
  return found;
}

SamReader::Line SamReader::read_line() {
  Line line;
  line.begin = lines_.offset();
  LinePiece piece;
  do {
    next_piece(piece);
    add_piece(line, piece);
  } while (!piece.ends_line);
  const std::uint64_t end = piece.offset + piece.text.size();
  end_field(line, end);
  end_line(line, end);
  return line;
}

// Reads the next piece. Throws if the text ends within the line.
void SamReader::next_piece(LinePiece& piece) {
  if (!lines_.next(piece)) {
    fail(ErrorKind::kInputTruncated, lines_.offset(), "within a line of SAM");
  }
}

void SamReader::refuse_nul(std::string_view text, std::uint64_t offset) const {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    fail(ErrorKind::kInputMalformed, offset + nul, "the line has a NUL byte");
  }
}

void SamReader::add_piece(Line& line, const LinePiece& piece) const {
  std::string_view rest = piece.text;
  std::uint64_t offset = piece.offset;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find('\t'));
    add_part(line, part, offset);
    if (part.size() == rest.size()) return;
    offset += part.size() + 1;
    rest.remove_prefix(part.size() + 1);
    end_field(line, offset - 1);
  }
}

// Checks bytes in order, so that the reported fault does not depend on where a line is split.
void SamReader::add_part(Line& line, std::string_view part, std::uint64_t offset) const {
  if (line.field == kName) {
    append_short(line, line.name, kMostName, part, offset);
  } else if (is_number(line.field)) {
    append_short(line, line.number, kMostNumber, part, offset);
  } else if (line.field == kSequence) {
    append_letters(line, part, offset);
  } else {
    refuse_nul(part, offset);
    if (line.has_facts) append_facts(line, part, offset);
  }
  if (line.field == kQualities) {
    line.qualities += part.size();
    if (keeps_qualities_ && line.qualities <= line.letters.size()) line.kept_qualities += part;
    line.only_star = line.qualities == 1 && (part == "*" || (part.empty() && line.only_star));
  }
  line.field_size += part.size();
}

void SamReader::append_short(const Line& line, std::string& text, std::size_t most,
                             std::string_view part, std::uint64_t offset) const {
  const std::size_t room = most - text.size();
  refuse_nul(part.substr(0, room), offset);
  if (part.size() > room) {
    fail(ErrorKind::kInputMalformed, offset - text.size(),
         line.field == kName ? fmt::format("QNAME has more than {} bytes", most)
                             : fmt::format("{} is not a number", kFieldNames[line.field]));
  }
  text += part;
}

void SamReader::append_facts(Line& line, std::string_view part, std::uint64_t offset) const {
  if (line.field == kReference) {
    // Keeps one byte beyond the longest allowed name, so that a longer name matches no reference.
    line.reference += part.substr(0, ReferenceList::kLongestName + 1 - line.reference.size());
  } else if (line.field == kCigar) {
    const auto bad = std::find_if_not(part.begin(), part.end(),
                                      [&line](char letter) { return line.cigar.add(letter); });
    if (bad == part.end()) return;
    fail(ErrorKind::kInputMalformed, offset + static_cast<std::uint64_t>(bad - part.begin()),
         fmt::format("CIGAR is not valid from '{}' on", shown_text({&*bad, 1})));
  } else if (line.field >= kFields) {
    line.tag += part.substr(0, kMostTag + 1 - line.tag.size());
  }
}

void SamReader::append_letters(Line& line, std::string_view part, std::uint64_t offset) const {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool first = line.letters.empty() && i == 0;
    const bool behind_star = !first && (i == 0 ? line.letters : part).front() == '*';
    if (behind_star || !(is_letter(part[i]) || (first && part[i] == '*'))) {
      fail(ErrorKind::kInputMalformed, offset + i,
           fmt::format("SEQ holds '{}', which cannot be part of a sequence",
                       shown_text(part.substr(i, 1))));
    }
  }
  if (part.size() > kMaxLetters - line.letters.size()) {
    fail(ErrorKind::kInputTooLong, offset, fmt::format("more than {} letters", kMaxLetters));
  }
  line.letters += part;
}

void SamReader::end_field(Line& line, std::uint64_t offset) const {
  const std::uint64_t size = std::exchange(line.field_size, 0);
  const std::size_t field = line.field++;
  if (field >= kFields) {
    if (line.has_facts) end_tag(line, offset - size);
    return;
  }
  if (size == 0) {
    fail(ErrorKind::kInputMalformed, offset, fmt::format("{} is empty", kFieldNames[field]));
  }
  if (field == kName && !is_one_word(line.name)) {
    fail(ErrorKind::kInputMalformed, offset - size,
         fmt::format("QNAME \"{}\" is not one word", shown_text(line.name)));
  }
  if (field == kCigar && !line.cigar.is_whole()) {
    fail(ErrorKind::kInputMalformed, offset - size,
         "CIGAR ends with a number, not with an operation");
  }
  if (!is_number(field)) return;
  const std::optional<std::int64_t> number = number_of(std::exchange(line.number, {}));
  const std::int64_t most = field == kFlag ? kMostFlags : kMostMappingQuality;
  const bool has_range = field == kFlag || (field == kMappingQuality && line.has_facts);
  if (!number || (has_range && (*number < 0 || *number > most))) {
    fail(ErrorKind::kInputMalformed, offset - size,
         fmt::format("{} is not a number{}", kFieldNames[field],
                     has_range ? fmt::format(" from 0 to {}", most) : ""));
  }
  if (field == kMappingQuality) line.mapping_quality = static_cast<std::uint64_t>(*number);
  if (field != kFlag) return;
  line.flags = static_cast<unsigned>(*number);
  line.has_facts = wants_facts_ && is_primary_mapped(line.flags);
}

void SamReader::end_tag(Line& line, std::uint64_t begin) const {
  const std::string tag = std::exchange(line.tag, {});
  if (!tag.starts_with(kDistanceTag)) return;
  const bool is_number = tag.starts_with(kDistanceHead) && tag.size() <= kMostTag;
  const auto distance =
      is_number ? parse_count(std::string_view(tag).substr(kDistanceHead.size())) : std::nullopt;
  if (!distance) {
    fail(ErrorKind::kInputMalformed, begin, "the tag NM is not a number, or is negative");
  }
  if (line.edit_distance) fail(ErrorKind::kInputMalformed, begin, "the tag NM occurs twice");
  line.edit_distance = distance;
}

void SamReader::end_line(const Line& line, std::uint64_t offset) const {
  if (line.field < kFields) {
    fail(ErrorKind::kInputMalformed, offset,
         fmt::format("the line has {} fields; SAM needs {}", line.field, std::size_t{kFields}));
  }
  const std::size_t letters = line.letters == kNoLetters ? 0 : line.letters.size();
  if (!line.only_star && line.qualities != letters) {
    fail(ErrorKind::kInputMalformed, offset,
         fmt::format("SEQ has {} letters, but QUAL has {} qualities", letters, line.qualities));
  }
}

void SamReader::fail(ErrorKind kind, std::uint64_t offset, std::string detail) const {
  throw Error(kind, Place{.file = file_, .record = records_ + 1, .offset = offset},
              std::move(detail));
}

}  // namespace virnucpro
