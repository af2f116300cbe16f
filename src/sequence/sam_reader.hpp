#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "sequence/alignment.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/line_reader.hpp"
#include "sequence/mapped_alignment.hpp"

namespace virnucpro {

// Reads SAM (SAM specification, 1.4). Its memory is one read and a bounded window. Letters keep
// their case. The last line must have a line end, as every program writes it; otherwise a file that
// was cut within a line would look complete. next() skips tags and header lines; next_mapped()
// keeps the references of the header, and also reads RNAME, MAPQ, CIGAR and NM.
class SamReader : public AlignmentReader, public MappingReader {
 public:
  SamReader(ByteSource& source, std::string file, Qualities qualities = Qualities::kPassOver);

  std::optional<SequenceRecord> next() override;
  SkippedAlignments skipped() const override { return skipped_; }
  std::uint64_t bytes() const override { return lines_.bytes(); }
  std::string hash() const override { return lines_.hash(); }

  const ReferenceList& references() override;
  std::optional<MappedAlignment> next_mapped() override;
  UnplacedAlignments unplaced() const override { return unplaced_; }

 private:
  struct Line;

  template <typename Read>
  auto placing_errors(Read read);
  void read_header();
  void add_reference(const std::string& line, std::uint64_t offset);
  std::optional<SequenceRecord> read_record();
  std::optional<MappedAlignment> read_mapped();
  MappedAlignment facts_of(Line& line) const;
  Line read_line();
  void next_piece(LinePiece& piece);
  void refuse_nul(std::string_view text, std::uint64_t offset) const;
  void add_piece(Line& line, const LinePiece& piece) const;
  void add_part(Line& line, std::string_view part, std::uint64_t offset) const;
  void append_short(const Line& line, std::string& text, std::size_t most, std::string_view part,
                    std::uint64_t offset) const;
  void append_facts(Line& line, std::string_view part, std::uint64_t offset) const;
  void append_letters(Line& line, std::string_view part, std::uint64_t offset) const;
  void end_field(Line& line, std::uint64_t offset) const;
  void end_tag(Line& line, std::uint64_t begin) const;
  void end_line(const Line& line, std::uint64_t offset) const;
  [[noreturn]] void fail(ErrorKind kind, std::uint64_t offset, std::string detail) const;

  LineReader lines_;
  std::string file_;
  bool keeps_qualities_;
  bool in_header_ = true;
  bool wants_facts_ = false;   // next_mapped() will be used
  ReferenceList references_;   // empty unless wants_facts_
  std::uint64_t records_ = 0;  // number of records read completely
  SkippedAlignments skipped_;
  UnplacedAlignments unplaced_;
};

}  // namespace virnucpro
