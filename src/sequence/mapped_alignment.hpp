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

// The references of a header, in its order.
class ReferenceList {
 public:
  // A longer name cannot be a sequence's id.
  static constexpr std::size_t kLongestName = kLongestAllowedId - 1;
  // The most memory for all names, including the overhead of each.
  static constexpr std::size_t kMostBytes = 512U << 20U;

  // Refuses a name's size beyond kLongestName. Errors, without a file: kInputTooLong.
  static void require_short(std::uint64_t size);
  // Errors, without a file: kInputTooLong.
  void add(std::string_view name, std::uint64_t length);
  // Call it after the last add(). Errors, without a file: kInputMalformed for a name that is there
  // twice.
  void index();

  std::size_t size() const { return references_.size(); }
  const ReferenceSequence& at(std::uint32_t reference) const { return references_.at(reference); }
  // Returns the reference of this name; empty if there is none.
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
  // The most letters of all operations: 100 times as many are still exact in a double.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;

  // Returns false for an unknown operation, and beyond kMost.
  bool add(char operation, std::uint64_t length);

  std::uint64_t matches() const { return matches_; }                // M, = and X
  std::uint64_t aligned() const { return matches_ + insertions_; }  // of the read, unclipped
  std::uint64_t block() const { return matches_ + insertions_ + deletions_; }
  std::uint64_t letters() const { return aligned() + soft_clips_; }  // those of SEQ
  std::uint64_t query() const { return letters() + hard_clips_; }    // those of the whole read

 private:
  std::uint64_t matches_ = 0;
  std::uint64_t insertions_ = 0;
  std::uint64_t deletions_ = 0;
  std::uint64_t soft_clips_ = 0;
  std::uint64_t hard_clips_ = 0;
  std::uint64_t all_ = 0;  // N and P, too
};

// Where a read lies, and how well: the facts of a primary alignment, without its letters.
struct MappedAlignment {
  std::string name{};
  unsigned flags = 0;
  std::uint32_t reference = 0;
  unsigned mapping_quality = 0;
  CigarSums cigar{};
  std::optional<std::uint64_t> edit_distance{};  // the tag NM
  std::uint64_t number = 0;                      // of the record, from 1

  std::uint64_t read_length() const { return cigar.query(); }
  // Percentages, not rounded. require_facts() must have accepted the alignment.
  double identity() const;  // letters of the block that are the same in both
  double coverage() const;  // letters of the read that are not clipped
};

// Checks that the facts are complete and agree with each other. `letters`: those of SEQ, 0 if it
// has none; `offset`: of the record. Errors, without a file: kInputMalformed.
void require_facts(const MappedAlignment& alignment, std::uint64_t letters, std::uint64_t offset);

// Reads where the reads of a BAM or SAM file lie, in memory that does not depend on their number.
// The readers of letters implement it, so that there is one set of checks. Do not mix these calls
// with AlignmentReader's next(). Errors: as there; also kInputTooLong for references beyond
// ReferenceList's bounds.
class MappingReader {
 public:
  MappingReader() = default;
  virtual ~MappingReader() = default;
  MappingReader(const MappingReader&) = delete;
  MappingReader& operator=(const MappingReader&) = delete;

  // Reads the header, if it was not read yet.
  virtual const ReferenceList& references() = 0;
  // Returns the next primary alignment of a mapped read; empty at the end. Do not call it again
  // after an error.
  virtual std::optional<MappedAlignment> next_mapped() = 0;
  virtual UnplacedAlignments unplaced() const = 0;  // so far
};

}  // namespace virnucpro
