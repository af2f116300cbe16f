#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sequence/input_set.hpp"

namespace virnucpro {

// Where the id of a sequence was seen before it.
enum class SeenId : std::uint8_t { kNowhere, kInThisInput, kInEarlierInput };

// What utils validate finds in one input.
struct SequenceStatistics {
  std::uint64_t sequences = 0;
  std::uint64_t letters = 0;
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;
  std::uint64_t empty = 0;
  std::uint64_t outside_iupac = 0;
  std::uint64_t duplicate_ids = 0;  // an earlier sequence of the input had the id
  std::uint64_t foreign_ids = 0;    // one of an earlier input had it
  SkippedAlignments skipped;

  void add(const InputRecord& record, SeenId seen);
  // As rows of a table for people.
  std::vector<std::string> lines() const;
};

// Knows the ids it has seen by a hash of 64 bits, up to a bound: memory must not grow with the
// input. Two different ids are taken for one with a chance below 2^-20 at the bound.
class SeenIds {
 public:
  static constexpr std::size_t kMost = 2'000'000;

  // Inputs come one after the other.
  SeenId add(std::string_view id, std::uint32_t input);
  // Whether ids came after the bound, which were compared but not remembered.
  bool overflowed() const { return overflowed_; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> inputs_;  // the last input with it, by hash
  bool overflowed_ = false;
};

}  // namespace virnucpro
