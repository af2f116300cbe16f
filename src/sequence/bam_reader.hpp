#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sequence/alignment.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/byte_window.hpp"
#include "sequence/mapped_alignment.hpp"

namespace virnucpro {

// Reads decompressed BAM (SAM specification, 4.2). Its memory is one read and a window of 64 KiB,
// whatever sizes the file claims. next() returns letters (the codes "=ACMGRSVTWYHKDBN") and, with
// Qualities::kKeep, qualities; it skips CIGAR, tags and header. next_mapped() keeps the references
// of the header, and reads CIGAR and tags instead of letters.
class BamReader : public AlignmentReader, public MappingReader {
 public:
  BamReader(ByteSource& source, std::string file, Qualities qualities = Qualities::kPassOver);

  std::optional<SequenceRecord> next() override;
  SkippedAlignments skipped() const override { return skipped_; }
  std::uint64_t bytes() const override { return bytes_.bytes(); }
  std::string hash() const override { return bytes_.hash(); }

  const ReferenceList& references() override;
  std::optional<MappedAlignment> next_mapped() override;
  UnplacedAlignments unplaced() const override { return unplaced_; }

 private:
  struct Layout;

  template <typename Read>
  auto placing_errors(Read read);
  void read_header(ReferenceList* references);
  std::string read_reference_name(std::uint64_t size);
  std::optional<MappedAlignment> read_mapped();
  MappedAlignment read_facts(const Layout& layout);
  bool read_cigar(const Layout& layout, CigarSums& cigar);
  std::optional<SequenceRecord> read_record();
  Layout read_layout();
  void check_layout(const Layout& layout) const;
  std::string read_name(const Layout& layout);
  std::string read_letters(std::uint32_t count);
  std::string read_qualities(std::uint32_t count);
  [[noreturn]] void fail(std::uint64_t offset, std::string detail) const;

  ByteWindow bytes_;
  std::string file_;
  bool keeps_qualities_;
  bool in_header_ = true;
  std::uint32_t reference_count_ = 0;
  ReferenceList references_;   // filled only for next_mapped()
  std::uint64_t records_ = 0;  // number of records read completely
  SkippedAlignments skipped_;
  UnplacedAlignments unplaced_;
};

}  // namespace virnucpro
