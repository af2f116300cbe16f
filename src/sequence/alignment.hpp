#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sequence/record.hpp"

namespace virnucpro {

enum class AlignmentFormat : std::uint8_t { kBam, kSam, kCram };

// Returns the format of a text that begins with `start` (four bytes or more); empty for other
// texts. SAM without header lines has no magic number, so it is not recognised.
std::optional<AlignmentFormat> alignment_format(std::string_view start);

std::string_view name_of(AlignmentFormat format);

// These functions read bits of a record's FLAG. If the record is unmapped, the bits for secondary
// and supplementary alignments have no meaning (SAM specification, 1.4).
bool is_primary_mapped(unsigned flags);
bool is_reverse(unsigned flags);
// Returns 1 for the first mate of a pair, 2 for the second mate, 0 for other reads.
unsigned mate_of(unsigned flags);

// Counts the alignments that were skipped because another record holds the same read.
struct SkippedAlignments {
  std::uint64_t secondary = 0;
  std::uint64_t supplementary = 0;  // without those that are also secondary

  // True if an alignment with these flags must be skipped. If so, also counts the alignment.
  bool skip(unsigned flags);
  void add(const SkippedAlignments& others);
  bool any() const { return secondary + supplementary != 0; }
};

// Counts the alignments that were skipped because they are unmapped, secondary or supplementary.
struct UnplacedAlignments {
  std::uint64_t unmapped = 0;
  SkippedAlignments repeats{};

  // Works like SkippedAlignments::skip(), but also skips unmapped reads.
  bool skip(unsigned flags);
};

// Restores the read as the sequencer wrote it (SAM specification, 1.4). `aligned` is one alignment
// of the read, and its header is the read's name. If the read was mapped to the reverse strand, its
// letters are reverse complemented and its qualities reversed. A mate's name gets /1 or /2, unless
// the name has this ending already.
SequenceRecord original_read(unsigned flags, SequenceRecord aligned);

// Reverses `letters` and complements IUPAC codes in either case. Other characters stay the same.
void reverse_complement(std::string& letters);

// True if `name` can name a read or a reference: it must be one word and not empty. The SAM
// specification forbids further characters, but this program can process them.
bool is_one_word(std::string_view name);

// Reads the records of a BAM, SAM or CRAM file one after the other. htslib reads only the CRAM
// files, because its readers of BAM and SAM change letters, accept truncated files, and allocate as
// many bytes as a record claims. next() throws kInputMalformed, kInputTruncated, kInputTooLong and
// the errors of the source. These errors name file, record and byte offset.
class AlignmentReader {
 public:
  AlignmentReader() = default;
  virtual ~AlignmentReader() = default;
  AlignmentReader(const AlignmentReader&) = delete;
  AlignmentReader& operator=(const AlignmentReader&) = delete;

  // Returns the read of the next primary alignment; empty at the end of the file. The read's
  // `number` counts all records of the file, from 1. Do not call next() again after an error.
  virtual std::optional<SequenceRecord> next() = 0;

  virtual SkippedAlignments skipped() const = 0;  // the counts so far
  virtual std::uint64_t bytes() const = 0;  // bytes read so far; decompressed, except for CRAM
  virtual std::string hash() const = 0;     // XXH3-128 of the bytes read so far
};

}  // namespace virnucpro
