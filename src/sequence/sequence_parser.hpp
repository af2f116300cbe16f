#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "sequence/line_reader.hpp"
#include "sequence/record.hpp"

namespace virnucpro {

// The largest number of letters in a record, and of bytes in its header line.
struct ParserLimits {
  std::size_t letters = kMaxLetters;
  std::size_t header = kLongestHeader;
};

enum class TextFormats : std::uint8_t { kFastaOrFastq, kFastqOnly };

// Reads a FASTA or FASTQ text; the first byte after blank lines shows which it is. Memory is one
// record and a bounded window, whatever the text holds.
//
// FASTA: a line that starts with '>' is a header; all lines up to the next header are sequence.
// FASTQ: sequence lines end before a line that starts with '+'. Quality lines follow until each
// letter has a quality, so a quality line may start with '@' or '+' (Cock et al. 2010,
// doi:10.1093/nar/gkp1137). A sequence line that starts with '@' is an error: a '+' line is
// missing. In both formats spaces, tabs, line ends and blank lines are ignored; every other ASCII
// character except NUL and '>' is a letter. A '>' inside a line is an error: two files were joined
// there without a line end.
//
// Errors, with `file`, record and byte offset: kInputFormat, kInputMalformed, kInputTooLong,
// kInputTruncated, those of the source, and kUsage for FASTA if only FASTQ is accepted.
class SequenceParser {
 public:
  SequenceParser(ByteSource& source, std::string file, ParserLimits limits = {},
                 TextFormats accepted = TextFormats::kFastaOrFastq,
                 Qualities qualities = Qualities::kPassOver);

  // Returns the next record; empty at the end of the text. Do not call it again after an error.
  std::optional<SequenceRecord> next();

  bool is_fastq() const { return format_ == Format::kFastq; }
  std::uint64_t records() const { return records_; }              // number of records so far
  std::uint64_t record_offset() const { return record_offset_; }  // offset of the last header
  std::uint64_t bytes() const { return lines_.bytes(); }          // bytes read so far
  std::string hash() const { return lines_.hash(); }              // XXH3-128 of all bytes read

 private:
  enum class Format : std::uint8_t { kUnknown, kFasta, kFastq };

  std::optional<SequenceRecord> read_record();
  void refuse_foreign_format();
  bool skip_blank_lines();
  void skip_blank_line();
  void recognise();
  void read_fasta(SequenceRecord& record);
  void read_fastq(SequenceRecord& record);
  char peek_within_record();
  void read_header(std::string& header);
  void read_separator(std::string_view header);
  void read_qualities(SequenceRecord& record, bool one_line);
  void read_quality_line(SequenceRecord& record, std::size_t& count);
  void take_qualities(const LinePiece& piece, SequenceRecord& record, std::size_t& count) const;
  void read_letters_line(std::string& letters);
  void append_letters(std::string& letters, const LinePiece& piece) const;
  bool read_short_line(std::string& line);

  [[noreturn]] void fail(ErrorKind kind, std::uint64_t offset, std::string detail) const;

  LineReader lines_;
  std::string file_;
  ParserLimits limits_;
  TextFormats accepted_;
  bool keeps_qualities_;
  Format format_ = Format::kUnknown;
  std::uint64_t records_ = 0;
  std::uint64_t record_offset_ = 0;
};

}  // namespace virnucpro
