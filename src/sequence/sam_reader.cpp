#include "sequence/sam_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace virnucpro {
namespace {

// The mandatory fields, in order.
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

}  // namespace

// The part of a line that was read so far.
struct SamReader::Line {
  std::size_t field = 0;         // the one being read
  std::uint64_t field_size = 0;  // bytes of it
  std::string name;
  std::string number;  // the field's text, if it is a number
  unsigned flags = 0;
  std::string letters;  // kNoLetters for none
  std::uint64_t qualities = 0;
  bool only_star = false;  // the qualities so far are '*'
};

SamReader::SamReader(ByteSource& source, std::string file)
    : lines_(source), file_(std::move(file)) {}

std::optional<SequenceRecord> SamReader::next() {
  try {
    if (records_ == 0) skip_header();
    return read_record();
  } catch (const Error& error) {
    if (error.place().offset) throw;
    fail(error.kind(), lines_.bytes(), error.detail());  // an error of the source has no place
  }
}

void SamReader::skip_header() {
  while (lines_.peek() == '@') {
    LinePiece piece;
    do {
      next_piece(piece);
      refuse_nul(piece.text, piece.offset);
    } while (!piece.ends_line);
  }
}

// The next record that is not skipped.
std::optional<SequenceRecord> SamReader::read_record() {
  while (lines_.peek()) {
    Line line = read_line();
    ++records_;
    if (skipped_.skip(line.flags)) continue;
    if (line.letters == kNoLetters) line.letters.clear();
    return original_read(line.flags, std::move(line.name), std::move(line.letters), records_);
  }
  return std::nullopt;
}

SamReader::Line SamReader::read_line() {
  Line line;
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

// Fails if the line has no end.
void SamReader::next_piece(LinePiece& piece) {
  if (!lines_.next(piece)) {
    fail(ErrorKind::kInputTruncated, lines_.offset(), "within a line of SAM");
  }
}

void SamReader::refuse_nul(std::string_view text, std::uint64_t offset) const {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    fail(ErrorKind::kInputMalformed, offset + nul, "a NUL byte");
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

// Checks the bytes in their order, so that the same fault is reported for any split into parts.
void SamReader::add_part(Line& line, std::string_view part, std::uint64_t offset) const {
  if (line.field == kName) {
    append_short(line, line.name, kMostName, part, offset);
  } else if (is_number(line.field)) {
    append_short(line, line.number, kMostNumber, part, offset);
  } else if (line.field == kSequence) {
    append_letters(line, part, offset);
  } else {
    refuse_nul(part, offset);
  }
  if (line.field == kQualities) {
    line.qualities += part.size();
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

void SamReader::append_letters(Line& line, std::string_view part, std::uint64_t offset) const {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool first = line.letters.empty() && i == 0;
    const bool behind_star = !first && (i == 0 ? line.letters : part).front() == '*';
    if (behind_star || !(is_letter(part[i]) || (first && part[i] == '*'))) {
      fail(ErrorKind::kInputMalformed, offset + i, "SEQ holds what cannot be part of a sequence");
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
  if (field >= kFields) return;
  if (size == 0) {
    fail(ErrorKind::kInputMalformed, offset, fmt::format("{} is empty", kFieldNames[field]));
  }
  if (field == kName && !is_read_name(line.name)) {
    fail(ErrorKind::kInputMalformed, offset - size, "QNAME is not one word");
  }
  if (!is_number(field)) return;
  const std::optional<std::int64_t> number = number_of(std::exchange(line.number, {}));
  if (!number || (field == kFlag && (*number < 0 || *number > kMostFlags))) {
    fail(ErrorKind::kInputMalformed, offset - size,
         fmt::format("{} is not a number in its range", kFieldNames[field]));
  }
  if (field == kFlag) line.flags = static_cast<unsigned>(*number);
}

void SamReader::end_line(const Line& line, std::uint64_t offset) const {
  if (line.field < kFields) {
    fail(ErrorKind::kInputMalformed, offset,
         fmt::format("a line of {} fields: {} are needed", line.field, std::size_t{kFields}));
  }
  const std::size_t letters = line.letters == kNoLetters ? 0 : line.letters.size();
  if (!line.only_star && line.qualities != letters) {
    fail(ErrorKind::kInputMalformed, offset,
         fmt::format("{} letters, {} qualities", letters, line.qualities));
  }
}

void SamReader::fail(ErrorKind kind, std::uint64_t offset, std::string detail) const {
  throw Error(kind, Place{.file = file_, .record = records_ + 1, .offset = offset},
              std::move(detail));
}

}  // namespace virnucpro
