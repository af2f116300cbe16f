#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "sequence/input_set.hpp"

namespace virnucpro {

// What utils validate finds in one input.
struct SequenceStatistics {
  std::uint64_t sequences = 0;
  std::uint64_t letters = 0;
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;
  std::uint64_t empty = 0;
  std::uint64_t outside_iupac = 0;
  std::uint64_t duplicate_ids = 0;  // an earlier sequence of the run had the id

  void add(const InputRecord& record, bool duplicate);
  // As rows of a table for people.
  std::vector<std::string> lines() const;
};

// Knows the ids it has seen by a hash of 64 bits, up to a bound: memory must not grow with the
// input. Two different ids are taken for one with a chance below 2^-20 at the bound.
class SeenIds {
 public:
  static constexpr std::size_t kMost = 2'000'000;

  // Whether the id was seen before.
  bool add(std::string_view id);
  // Whether ids came after the bound, which were compared but not remembered.
  bool overflowed() const { return overflowed_; }

 private:
  std::unordered_set<std::uint64_t> hashes_;
  bool overflowed_ = false;
};

}  // namespace virnucpro
