#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sequence/alignment.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/byte_window.hpp"

namespace virnucpro {

// Reads a decompressed BAM text (SAM specification, 4.2). Memory is one read and a bounded window,
// whatever sizes the text claims: it keeps the letters that arrive, and passes over qualities,
// CIGAR, tags and header. Bases are the sixteen codes "=ACMGRSVTWYHKDBN".
class BamReader : public AlignmentReader {
 public:
  BamReader(ByteSource& source, std::string file);

  std::optional<SequenceRecord> next() override;
  SkippedAlignments skipped() const override { return skipped_; }
  std::uint64_t bytes() const override { return bytes_.bytes(); }
  std::string hash() const override { return bytes_.hash(); }

 private:
  struct Layout;

  void read_header();
  std::optional<SequenceRecord> read_record();
  Layout read_layout();
  void check_layout(const Layout& layout) const;
  std::string read_name(const Layout& layout);
  std::string read_letters(std::uint32_t count);
  [[noreturn]] void fail(std::uint64_t offset, std::string detail) const;

  ByteWindow bytes_;
  std::string file_;
  bool in_header_ = true;
  std::uint32_t references_ = 0;
  std::uint64_t records_ = 0;  // read completely
  SkippedAlignments skipped_;
};

}  // namespace virnucpro
