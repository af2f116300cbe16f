#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/alignment.hpp"
#include "sequence/record.hpp"

namespace virnucpro {

// A sequence that reads were aligned to, as a header names it.
struct ReferenceSequence {
  std::string name;
  std::uint64_t length = 0;
};

// The reference sequences of a BAM or SAM header, in the header's order.
class ReferenceList {
 public:
  // The largest length of a name in bytes: with its NUL, a name must fit in ByteWindow (64 KiB).
  static constexpr std::size_t kLongestName = kLongestAllowedId - 1;
  // The largest memory in bytes for all names, including the overhead of each name.
  static constexpr std::size_t kMostBytes = 512U << 20U;

  // Throws kInputMalformed, which names no file, for a name of more than kLongestName bytes.
  static void require_short(std::uint64_t size);
  // Adds a reference. Errors, which name no file: kInputMalformed.
  void add(std::string_view name, std::uint64_t length);
  // Prepares find() after the last add(). Throws kInputMalformed, which names no file, for equal
  // names.
  void index();

  std::size_t size() const { return references_.size(); }
  const ReferenceSequence& at(std::uint32_t reference) const { return references_.at(reference); }
  // Returns the number of the reference `name`; empty if there is none.
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  const std::string& name_at(std::uint32_t reference) const { return references_[reference].name; }

  std::vector<ReferenceSequence> references_;
  std::vector<std::uint32_t> by_name_;
  std::size_t bytes_ = 0;
};

// Counts the letters of a read, and of its reference, that a CIGAR's operations cover.
class CigarSums {
 public:
  // The largest sum of all lengths: 100 times this number, for percentages, is exact in a double.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;

  // Adds an operation. Returns false if it is unknown, or if the sum of all lengths exceeds kMost.
  bool add(char operation, std::uint64_t length);

  std::uint64_t matches() const { return matches_; }                // letters in M, = and X
  std::uint64_t aligned() const { return matches_ + insertions_; }  // letters that are not clipped
  std::uint64_t block() const { return matches_ + insertions_ + deletions_; }
  std::uint64_t letters() const { return aligned() + soft_clips_; }  // letters in SEQ
  std::uint64_t query() const { return letters() + hard_clips_; }    // letters of the whole read

 private:
  std::uint64_t matches_ = 0;
  std::uint64_t insertions_ = 0;
  std::uint64_t deletions_ = 0;
  std::uint64_t soft_clips_ = 0;
  std::uint64_t hard_clips_ = 0;
  std::uint64_t all_ = 0;  // sum of all lengths
};

// A primary alignment without its letters: the read's reference, and how well the read matches it.
struct MappedAlignment {
  std::string name{};
  unsigned flags = 0;
  std::uint32_t reference = 0;
  unsigned mapping_quality = 0;
  CigarSums cigar{};
  std::optional<std::uint64_t> edit_distance{};  // the tag NM
  std::uint64_t number = 0;                      // number of the record, from 1

  std::uint64_t read_length() const { return cigar.query(); }
  // These return percentages, not rounded. require_facts() must have accepted the alignment before.
  double identity() const;  // share of equal letters in the alignment block
  double coverage() const;  // share of the read's letters that are not clipped
};

// Checks that an alignment is complete and consistent. `letters` is the length of SEQ, 0 if SEQ is
// '*'; `offset` is the record's byte offset. Errors, which name no file: kInputMalformed.
void require_facts(const MappedAlignment& alignment, std::uint64_t letters, std::uint64_t offset);

// Reads the reference of each mapped read of a BAM or SAM file. Its memory does not depend on the
// number of reads. BamReader and SamReader implement both this class and AlignmentReader, so that
// both share the checks. Do not mix these calls with AlignmentReader::next(). Errors: those of
// AlignmentReader::next(); also kInputMalformed for references beyond the limits of ReferenceList.
class MappingReader {
 public:
  MappingReader() = default;
  virtual ~MappingReader() = default;
  MappingReader(const MappingReader&) = delete;
  MappingReader& operator=(const MappingReader&) = delete;

  // Returns the references of the header. Reads the header first, if that was not done yet.
  virtual const ReferenceList& references() = 0;
  // Returns the next primary alignment of a mapped read; empty at the end. Do not call it after an
  // error.
  virtual std::optional<MappedAlignment> next_mapped() = 0;
  virtual UnplacedAlignments unplaced() const = 0;  // the counts so far
};

}  // namespace virnucpro
