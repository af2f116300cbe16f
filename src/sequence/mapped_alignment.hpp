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
  // A name that is longer cannot be a sequence's id.
  static constexpr std::size_t kLongestName = kLongestAllowedId - 1;
  // The limit of memory for all names, including the overhead of each name.
  static constexpr std::size_t kMostBytes = 512U << 20U;

  // Throws kInputTooLong, without a file, for a name of more than kLongestName bytes.
  static void require_short(std::uint64_t size);
  // Adds a reference. Errors, without a file: kInputTooLong.
  void add(std::string_view name, std::uint64_t length);
  // Call it after the last add(). Errors, without a file: kInputMalformed for a name that occurs
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
  // The limit of all letters: 100 times this number is still exact in a double.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;

  // Returns false for an unknown operation, and for more letters than kMost.
  bool add(char operation, std::uint64_t length);

  std::uint64_t matches() const { return matches_; }                // M, = and X
  std::uint64_t aligned() const { return matches_ + insertions_; }  // of the read, unclipped
  std::uint64_t block() const { return matches_ + insertions_ + deletions_; }
  std::uint64_t letters() const { return aligned() + soft_clips_; }  // of SEQ
  std::uint64_t query() const { return letters() + hard_clips_; }    // of the whole read

 private:
  std::uint64_t matches_ = 0;
  std::uint64_t insertions_ = 0;
  std::uint64_t deletions_ = 0;
  std::uint64_t soft_clips_ = 0;
  std::uint64_t hard_clips_ = 0;
  std::uint64_t all_ = 0;  // N and P, too
};

// The facts of a primary alignment without its letters: where the read lies, and how well it fits.
struct MappedAlignment {
  std::string name{};
  unsigned flags = 0;
  std::uint32_t reference = 0;
  unsigned mapping_quality = 0;
  CigarSums cigar{};
  std::optional<std::uint64_t> edit_distance{};  // the tag NM
  std::uint64_t number = 0;                      // of the record, from 1

  std::uint64_t read_length() const { return cigar.query(); }
  // These are percentages, not rounded. require_facts() must have accepted the alignment.
  double identity() const;  // share of equal letters in the alignment block
  double coverage() const;  // share of the read's letters that are not clipped
};

// Checks that the facts are complete and agree with each other. `letters` is the length of SEQ, 0
// if it has none; `offset` is the record's place. Errors, without a file: kInputMalformed.
void require_facts(const MappedAlignment& alignment, std::uint64_t letters, std::uint64_t offset);

// Gives the places of the reads of a BAM or SAM file; memory does not depend on their number.
// BamReader and SamReader implement it, so that both uses share the checks. Do not mix these calls
// with AlignmentReader's next(). Errors: those of AlignmentReader's next(); also kInputTooLong for
// references beyond the limits of ReferenceList.
class MappingReader {
 public:
  MappingReader() = default;
  virtual ~MappingReader() = default;
  MappingReader(const MappingReader&) = delete;
  MappingReader& operator=(const MappingReader&) = delete;

  // Returns the references of the header, which it reads if it was not read yet.
  virtual const ReferenceList& references() = 0;
  // Returns the next primary alignment of a mapped read; empty at the end. Do not call it again
  // after an error.
  virtual std::optional<MappedAlignment> next_mapped() = 0;
  virtual UnplacedAlignments unplaced() const = 0;  // so far
};

}  // namespace virnucpro
