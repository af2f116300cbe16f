#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sequence/input_set.hpp"

namespace virnucpro {

// The input in which the same id was seen before.
enum class SeenId : std::uint8_t { kNowhere, kInThisInput, kInEarlierInput };

// The findings of utils validate on one input.
struct SequenceStatistics {
  std::uint64_t sequences = 0;
  std::uint64_t letters = 0;
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;
  std::uint64_t empty = 0;
  std::uint64_t outside_iupac = 0;
  std::uint64_t with_outside_iupac = 0;  // sequences with letters outside IUPAC
  std::uint64_t ambiguous = 0;
  std::uint64_t with_ambiguous = 0;  // sequences with ambiguous bases
  std::uint64_t too_ambiguous = 0;   // sequences over the limit of ambiguous bases
  std::uint64_t duplicate_ids = 0;   // sequences with the id of an earlier sequence of this input
  std::uint64_t foreign_ids = 0;     // sequences with the id of a sequence of an earlier input
  SkippedAlignments skipped;

  // Adds a sequence. It is too ambiguous if its percentage of ambiguous bases is above the limit.
  void add(const InputRecord& record, SeenId seen, double most_ambiguous_percent);
  // Returns the number of findings that can make the input invalid. Duplicate ids do so only if
  // they are checked.
  std::uint64_t bad() const { return duplicate_ids + empty + with_outside_iupac; }
  // Says why the input is not valid; empty if it is valid.
  std::string problems(bool check_duplicate_ids) const;
  // Returns the rows of a table for people.
  std::vector<std::string> lines() const;
};

// Says why a sequence is not valid; empty if it is valid.
std::string bad_sequence(const InputRecord& record, SeenId seen, bool check_duplicate_ids);

// Remembers ids by a hash of 64 bits, up to a maximum number, so that memory does not grow with the
// input. Even at the maximum, two ids get the same hash with a chance below 2^-20.
class SeenIds {
 public:
  static constexpr std::size_t kMost = 2'000'000;

  // Adds an id. All ids of an input must be added before the ids of the next input.
  SeenId add(std::string_view id, std::uint32_t input);
  // True if more ids came than the maximum. The further ids were compared, but not remembered.
  bool overflowed() const { return overflowed_; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> inputs_;  // by hash: the last input with the id
  bool overflowed_ = false;
};

}  // namespace virnucpro
