#include "sequence/sequence_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace virnucpro {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

std::string shown(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return is_graphic(letter) ? fmt::format("'{}'", letter) : fmt::format("byte 0x{:02x}", code);
}

struct ForeignFormat {
  std::string_view magic;
  std::string_view hint;
  std::size_t at = 0;
};

constexpr std::string_view kXz = "xz cannot be read. Unpack it: xz -dc FILE | virnucpro predict -";
constexpr std::string_view kZstd =
    "zstd cannot be read. Unpack it: zstd -dc FILE | virnucpro predict -";
constexpr std::string_view kBzip2 =
    "bzip2 cannot be read. Unpack it: bzip2 -dc FILE | virnucpro predict -";
constexpr std::string_view kZip =
    "zip cannot be read. Unpack it: unzip -p FILE | virnucpro predict -";

constexpr std::string_view kCompress =
    "compress (.Z) cannot be read. Unpack it: gzip -dc FILE | virnucpro predict -";
constexpr std::string_view kTar =
    "tar cannot be read. Unpack it: tar -xOf FILE NAME | virnucpro predict -";
constexpr std::string_view kUtf16 =
    "UTF-16 cannot be read. Convert it: iconv -f UTF-16 -t UTF-8 FILE | virnucpro predict -";

constexpr std::array<ForeignFormat, 9> kFormats{{
    {{"\xfd"
      "7zXZ\0",
      6},
     kXz},
    {"\x28\xb5\x2f\xfd", kZstd},
    {"BZh", kBzip2},
    {"PK\3\4", kZip},
    {"PK\5\6", kZip},  // an empty archive
    {"\x1f\x9d", kCompress},
    {"\xff\xfe", kUtf16},
    {"\xfe\xff", kUtf16},
    {"ustar", kTar, 257},
}};

// If `start` belongs to an unsupported format that users may try, returns a message that names the
// format and says what to do. Otherwise empty.
std::string_view foreign_format_hint(std::string_view start) {
  const auto* const found =
      std::find_if(kFormats.begin(), kFormats.end(), [start](const ForeignFormat& format) {
        return start.substr(std::min(format.at, start.size())).starts_with(format.magic);
      });
  return found == kFormats.end() ? std::string_view() : found->hint;
}

}  // namespace

SequenceParser::SequenceParser(ByteSource& source, std::string file, ParserLimits limits,
                               TextFormats accepted, Qualities qualities)
    : lines_(source),
      file_(std::move(file)),
      limits_(limits),
      accepted_(accepted),
      keeps_qualities_(qualities == Qualities::kKeep) {}

std::optional<SequenceRecord> SequenceParser::next() {
  try {
    std::optional<SequenceRecord> record = read_record();
    if (record) record->number = ++records_;
    return record;
  } catch (const Error& error) {
    if (error.place().offset) throw;
    fail(error.kind(), lines_.bytes(), error.detail());  // an error of the source has no place
  }
}

std::optional<SequenceRecord> SequenceParser::read_record() {
  if (lines_.offset() == 0) refuse_foreign_format();
  if (!skip_blank_lines()) return std::nullopt;
  if (format_ == Format::kUnknown) recognise();
  record_offset_ = lines_.offset();
  SequenceRecord record;
  if (format_ == Format::kFasta) {
    read_fasta(record);
  } else {
    read_fastq(record);
  }
  return record;
}

// Skips blank lines. Returns false at the end of the text.
bool SequenceParser::skip_blank_lines() {
  while (const std::optional<char> first = lines_.peek()) {
    if (!is_blank(*first)) return true;
    skip_blank_line();
  }
  return false;
}

void SequenceParser::skip_blank_line() {
  LinePiece piece;
  while (lines_.next(piece)) {
    const std::size_t text = piece.text.find_first_not_of(" \t");
    if (text != std::string_view::npos) {
      fail(format_ == Format::kUnknown ? ErrorKind::kInputFormat : ErrorKind::kInputMalformed,
           piece.offset + text,
           "a blank precedes the text of this line; a header must be at the start of its line");
    }
    if (piece.ends_line) return;
  }
}

void SequenceParser::refuse_foreign_format() {
  const std::string_view start = lines_.start();
  if (start.starts_with('>') || start.starts_with('@')) return;
  const std::string_view hint = foreign_format_hint(start);
  if (!hint.empty()) fail(ErrorKind::kInputFormat, lines_.offset(), std::string(hint));
}

void SequenceParser::recognise() {
  const char first = *lines_.peek();
  if (first == '>') {
    if (accepted_ == TextFormats::kFastqOnly) {
      fail(ErrorKind::kUsage, lines_.offset(), "this file is FASTA; --paired takes FASTQ only");
    }
    format_ = Format::kFasta;
  } else if (first == '@') {
    format_ = Format::kFastq;
  } else {
    fail(ErrorKind::kInputFormat, lines_.offset(),
         fmt::format("expected '>' (FASTA) or '@' (FASTQ, or SAM with its header: samtools view "
                     "-h), found {}",
                     shown(first)));
  }
}

void SequenceParser::read_header(std::string& header) {
  const std::uint64_t offset = lines_.offset();
  read_short_line(header);
  header.erase(0, 1);
  if (const std::size_t nul = header.find('\0'); nul != std::string::npos) {
    fail(ErrorKind::kInputMalformed, offset + 1 + nul, "the header holds a NUL byte");
  }
}

void SequenceParser::read_fasta(SequenceRecord& record) {
  read_header(record.header);
  for (auto first = lines_.peek(); first && *first != '>'; first = lines_.peek()) {
    read_letters_line(record.letters);
  }
}

void SequenceParser::read_fastq(SequenceRecord& record) {
  if (const char first = *lines_.peek(); first != '@') {
    fail(ErrorKind::kInputMalformed, lines_.offset(),
         fmt::format("expected '@' of the next record, found {}", shown(first)));
  }
  read_header(record.header);
  std::size_t lines = 0;
  while (peek_within_record() != '+') {
    if (peek_within_record() == '@') {
      fail(ErrorKind::kInputMalformed, lines_.offset(), "expected a '+' line before the next '@'");
    }
    const std::size_t before = record.letters.size();
    read_letters_line(record.letters);
    if (record.letters.size() != before) ++lines;
  }
  read_separator(record.header);
  read_qualities(record, lines <= 1);
}

char SequenceParser::peek_within_record() {
  const std::optional<char> next = lines_.peek();
  if (!next) fail(ErrorKind::kInputTruncated, lines_.offset(), "within a FASTQ record");
  return *next;
}

// Reads the '+' line. After the '+', only the header, the id or nothing is allowed.
void SequenceParser::read_separator(std::string_view header) {
  const std::uint64_t offset = lines_.offset();
  std::string line;
  if (!read_short_line(line)) {
    fail(ErrorKind::kInputTruncated, lines_.offset(), "within a FASTQ record, at its '+' line");
  }
  const std::string_view repeated = trimmed_header(std::string_view(line).substr(1));
  if (!repeated.empty() && repeated != trimmed_header(header) && repeated != sequence_id(header)) {
    fail(ErrorKind::kInputMalformed, offset, "the '+' line names another read than the '@' line");
  }
}

// Reads qualities until each letter has one. If the sequence is on one line and its first quality
// line is too short, a next line that starts with '@' is the next header: qualities are missing.
void SequenceParser::read_qualities(SequenceRecord& record, bool one_line) {
  const std::size_t letters = record.letters.size();
  std::size_t count = 0;
  bool started = false;
  const auto fail_short = [&](ErrorKind kind) {
    fail(kind, lines_.offset(),
         fmt::format("the read has {} letters, but {} qualities", letters, count));
  };
  do {
    const std::optional<char> next = lines_.peek();
    if (letters == 0 && next.value_or('@') == '@') return;  // an empty quality line may be missing
    if (!next) fail_short(ErrorKind::kInputTruncated);
    if (next == '@' && started && one_line) fail_short(ErrorKind::kInputMalformed);
    read_quality_line(record, count);
    started = true;
  } while (count < letters);
}

void SequenceParser::read_quality_line(SequenceRecord& record, std::size_t& count) {
  LinePiece piece;
  while (lines_.next(piece)) {
    take_qualities(piece, record, count);
    if (piece.ends_line) return;
  }
}

void SequenceParser::take_qualities(const LinePiece& piece, SequenceRecord& record,
                                    std::size_t& count) const {
  const std::size_t letters = record.letters.size();
  if (piece.text.size() <= letters - count && all_graphic(piece.text)) {
    count += piece.text.size();
    if (keeps_qualities_) record.qualities += piece.text;
    return;
  }
  for (std::size_t i = 0; i < piece.text.size(); ++i) {
    const char quality = piece.text[i];
    if (is_blank(quality)) continue;
    if (!is_graphic(quality)) {
      fail(ErrorKind::kInputMalformed, piece.offset + i,
           fmt::format("{} cannot be a quality", shown(quality)));
    }
    if (count == letters) {
      fail(ErrorKind::kInputMalformed, piece.offset + i,
           fmt::format("the read has {} letters, but more qualities", letters));
    }
    if (keeps_qualities_) record.qualities += quality;
    ++count;
  }
}

void SequenceParser::read_letters_line(std::string& letters) {
  LinePiece piece;
  while (lines_.next(piece)) {
    append_letters(letters, piece);
    if (piece.ends_line) return;
  }
}

void SequenceParser::append_letters(std::string& letters, const LinePiece& piece) const {
  const bool is_joined = piece.text.find('>') != std::string_view::npos;
  if (!is_joined && piece.text.size() <= limits_.letters - letters.size() &&
      all_graphic(piece.text)) {
    letters += piece.text;
    return;
  }
  for (std::size_t i = 0; i < piece.text.size(); ++i) {
    const char letter = piece.text[i];
    if (is_blank(letter)) continue;
    if (letter == '>') {
      fail(ErrorKind::kInputMalformed, piece.offset + i,
           "a '>' inside a line of letters: if two files were joined without a line end, join them "
           "again: awk 1 a.fa b.fa > joined.fa");
    }
    if (letter == '\0' || static_cast<unsigned char>(letter) >= 0x80) {
      fail(ErrorKind::kInputMalformed, piece.offset + i,
           fmt::format("{} cannot be part of a sequence", shown(letter)));
    }
    if (letters.size() == limits_.letters) {
      fail(ErrorKind::kInputTooLong, piece.offset + i,
           fmt::format("more than {} letters", limits_.letters));
    }
    letters += letter;
  }
}

// Reads a line of at most limits_.header bytes. Returns false if the text ends without a line end.
bool SequenceParser::read_short_line(std::string& line) {
  LinePiece piece;
  while (lines_.next(piece)) {
    line += piece.text;
    if (line.size() > limits_.header) {
      const std::size_t surplus = line.size() - limits_.header;
      fail(ErrorKind::kInputMalformed, piece.offset + piece.text.size() - surplus,
           fmt::format("a header line has more than {} bytes", limits_.header));
    }
    if (piece.ends_line) return true;
  }
  return false;
}

void SequenceParser::fail(ErrorKind kind, std::uint64_t offset, std::string detail) const {
  throw Error(kind, Place{.file = file_, .record = records_ + 1, .offset = offset},
              std::move(detail));
}

}  // namespace virnucpro
