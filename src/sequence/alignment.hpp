#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sequence/record.hpp"

namespace virnucpro {

enum class AlignmentFormat : std::uint8_t { kBam, kSam, kCram };

// What a text that starts like this is; empty for all others. Four bytes of `start` are enough. A
// SAM text without header lines cannot be told from rubbish, so it is none.
std::optional<AlignmentFormat> alignment_format(std::string_view start);

std::string_view name_of(AlignmentFormat format);

// Alignments that repeat a read which another record of the file holds.
struct SkippedAlignments {
  std::uint64_t secondary = 0;
  std::uint64_t supplementary = 0;  // and not secondary

  // Whether an alignment with these flags is to be skipped; counts it then.
  bool skip(unsigned flags);
  void add(const SkippedAlignments& others);
  bool any() const { return secondary + supplementary != 0; }
};

// The read as it came from the sequencer, from an alignment of it (SAM specification, 1.4): reverse
// complement where the flags say that it was mapped so, /1 or /2 behind the name of a mate, unless
// the name ends like this already.
SequenceRecord original_read(unsigned flags, std::string name, std::string letters,
                             std::uint64_t number);

// Of all IUPAC codes, either case; other characters stay as they are.
void reverse_complement(std::string& letters);

// Whether this can stand as a read's name: not empty, and one word. What else the specification
// forbids does no harm.
bool is_read_name(std::string_view name);

// The records of a BAM, SAM or CRAM file, one after the other.
// Errors of next(), with file, record and, where the format has one, the offset: kInputMalformed,
// kInputTruncated, kInputTooLong, and those of the source.
class AlignmentReader {
 public:
  AlignmentReader() = default;
  virtual ~AlignmentReader() = default;
  AlignmentReader(const AlignmentReader&) = delete;
  AlignmentReader& operator=(const AlignmentReader&) = delete;

  // The next primary alignment's read, numbered among all records of the file; empty at the end of
  // the file. Not to be called again after an error.
  virtual std::optional<SequenceRecord> next() = 0;

  virtual SkippedAlignments skipped() const = 0;  // so far
  virtual std::uint64_t bytes() const = 0;        // read so far, decompressed but for CRAM
  virtual std::string hash() const = 0;           // XXH3-128 of them
};

}  // namespace virnucpro
