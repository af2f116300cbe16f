#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// The share of the inputs' sequences that one of several runs computes; merge joins them.
struct Shard {
  static constexpr std::uint64_t kMost = 4096;  // a merge reads them in parallel

  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

// "0/4" → {0, 4}; empty for any other text, and for an index that is not below the count.
std::optional<Shard> parse_shard(std::string_view text);

// Deals the sequences of all inputs, in input order, so that the shards get about as many letters.
// A sequence, or a pair, goes to the shard with the fewest letters so far, ties to the first. Every
// record counts, also a skipped one; an input that fails counts for nothing. So each shard's run,
// and merge, find the same owners from the lengths alone, without knowing of each other.
class ShardSums {
 public:
  explicit ShardSums(std::uint64_t count);

  // Returns the shard of the next sequence.
  std::size_t least() const { return order_.begin()->second; }
  void add(std::size_t shard, std::uint64_t letters);
  // Call one at the end of each input: keep its letters, or drop them.
  void keep() { kept_ = sums_; }
  void drop();

 private:
  std::vector<std::uint64_t> sums_;  // of letters, by shard
  std::vector<std::uint64_t> kept_;
  std::set<std::pair<std::uint64_t, std::size_t>> order_;  // of (sum, shard)
};

}  // namespace virnucpro
