#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "sequence/record.hpp"

namespace virnucpro {

enum class AlignmentFormat : std::uint8_t { kBam, kSam, kCram };

// Returns the alignment format of a text that begins with `start` (four bytes or more); empty for
// other texts. SAM without header lines looks like rubbish, so it is not recognised.
std::optional<AlignmentFormat> alignment_format(std::string_view start);

std::string_view name_of(AlignmentFormat format);

// These functions read FLAG. If a record is unmapped, its other bits about the alignment mean
// nothing (SAM specification, 1.4).
bool is_primary_mapped(unsigned flags);
bool is_reverse(unsigned flags);
// Returns 1 or 2 for one of two mates; 0 for other reads.
unsigned mate_of(unsigned flags);

// Counts the alignments that were skipped because another record holds the same read.
struct SkippedAlignments {
  std::uint64_t secondary = 0;
  std::uint64_t supplementary = 0;  // and not secondary

  // True if an alignment with these flags must be skipped; then it is counted, too.
  bool skip(unsigned flags);
  void add(const SkippedAlignments& others);
  bool any() const { return secondary + supplementary != 0; }
};

// Counts the alignments that were skipped because they are unmapped or repeat a read.
struct UnplacedAlignments {
  std::uint64_t unmapped = 0;
  SkippedAlignments repeats{};

  // Skips and counts like SkippedAlignments::skip().
  bool skip(unsigned flags);
};

// Restores the read as the sequencer wrote it (SAM specification, 1.4). `aligned` is one of the
// read's alignments; its header is the read's name. A read mapped to the reverse strand is reverse
// complemented. A mate's name gets /1 or /2, unless it already ends so.
SequenceRecord original_read(unsigned flags, SequenceRecord aligned);

// Complements all IUPAC codes, in either case; other characters stay the same.
void reverse_complement(std::string& letters);

// True if this can be the name of a read or a reference: one word, not empty. The specification
// forbids more characters, but they do no harm and are allowed.
bool is_one_word(std::string_view name);

// Reads the records of a BAM, SAM or CRAM file one after the other. htslib reads only CRAM: its
// readers of other formats change letters, accept cut files, and allocate as much as a record
// claims. next() throws kInputMalformed, kInputTruncated, kInputTooLong and the errors of the
// source. They name the file, the record and, if the format has offsets, the offset.
class AlignmentReader {
 public:
  AlignmentReader() = default;
  virtual ~AlignmentReader() = default;
  AlignmentReader(const AlignmentReader&) = delete;
  AlignmentReader& operator=(const AlignmentReader&) = delete;

  // Returns the read of the next primary alignment; empty at the end of the file. The read's number
  // counts all records of the file. Do not call next() again after an error.
  virtual std::optional<SequenceRecord> next() = 0;

  virtual SkippedAlignments skipped() const = 0;  // so far
  virtual std::uint64_t bytes() const = 0;        // read so far; decompressed, except for CRAM
  virtual std::string hash() const = 0;           // XXH3-128 of these bytes
};

// Adds the place to a reader's error that names no file. If the error has an offset, that offset
// stays, as it is more exact.
Error placed(const Error& error, Place place, std::string detail);

}  // namespace virnucpro
