#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "sequence/record.hpp"

namespace virnucpro {

enum class AlignmentFormat : std::uint8_t { kBam, kSam, kCram };

// The format of a text that starts like this; empty for any other. `start` needs four bytes. A SAM
// text without header lines looks like rubbish, so it is not recognised.
std::optional<AlignmentFormat> alignment_format(std::string_view start);

std::string_view name_of(AlignmentFormat format);

// What FLAG says. No other bit means anything of an unmapped record (SAM specification, 1.4).
bool is_primary_mapped(unsigned flags);
bool is_reverse(unsigned flags);
// 1 or 2; 0 of a read that is not one of two mates.
unsigned mate_of(unsigned flags);

// How many alignments were skipped because they repeat a read that another record holds.
struct SkippedAlignments {
  std::uint64_t secondary = 0;
  std::uint64_t supplementary = 0;  // and not secondary

  // Returns whether an alignment with these flags is to be skipped, and counts it if so.
  bool skip(unsigned flags);
  void add(const SkippedAlignments& others);
  bool any() const { return secondary + supplementary != 0; }
};

// How many alignments were skipped because they are not the one that places a read.
struct UnplacedAlignments {
  std::uint64_t unmapped = 0;
  SkippedAlignments repeats{};

  // As SkippedAlignments has it.
  bool skip(unsigned flags);
};

// The read as the sequencer wrote it, made from one of its alignments, whose header is its name
// (SAM specification, 1.4). A read mapped to the reverse strand is reverse complemented. A mate's
// name gets /1 or /2, unless it ends so already.
SequenceRecord original_read(unsigned flags, SequenceRecord aligned);

// Handles all IUPAC codes in either case; other characters keep their value.
void reverse_complement(std::string& letters);

// Whether this can be the name of a read or a reference: one word, not empty. Other characters that
// the specification forbids do no harm.
bool is_one_word(std::string_view name);

// Reads the records of a BAM, SAM or CRAM file one after the other. Errors of next() name the file,
// the record and, if the format has one, the offset: kInputMalformed, kInputTruncated,
// kInputTooLong, and the source's errors.
class AlignmentReader {
 public:
  AlignmentReader() = default;
  virtual ~AlignmentReader() = default;
  AlignmentReader(const AlignmentReader&) = delete;
  AlignmentReader& operator=(const AlignmentReader&) = delete;

  // The read of the next primary alignment; its number counts all records of the file. Empty at the
  // end of the file. Do not call it again after an error.
  virtual std::optional<SequenceRecord> next() = 0;

  virtual SkippedAlignments skipped() const = 0;  // so far
  virtual std::uint64_t bytes() const = 0;        // read so far; decompressed, except for CRAM
  virtual std::string hash() const = 0;           // XXH3-128 of these bytes
};

// A reader's error, thrown further down without a file, with the place where it occurred. Its own
// offset is the more exact one.
Error placed(const Error& error, Place place, std::string detail);

}  // namespace virnucpro
