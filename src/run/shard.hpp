#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// The share of the inputs' sequences that one of several runs computes; merge joins the runs.
struct Shard {
  static constexpr std::uint64_t kMost = 4096;  // a merge reads all shards side by side

  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

// Reads "0/4" as {0, 4}; empty for any other text, and for an index that is not below the count.
std::optional<Shard> parse_shard(std::string_view text);

// Deals the sequences of all inputs to shards, in input order, so that the shards get about as many
// letters. A sequence, or a pair, goes to the shard with the fewest letters so far, in a tie to the
// first such shard. A skipped record counts, too; an input that fails does not. So each shard's
// run, and merge, find the shard of a sequence from the lengths alone.
class ShardSums {
 public:
  explicit ShardSums(std::uint64_t count);

  // Returns the shard of the next sequence.
  std::size_t least() const { return order_.begin()->second; }
  void add(std::size_t shard, std::uint64_t letters);
  // Call keep() or drop() at the end of each input: its letters count, or not. A failed input's do
  // not: some shards may not read as far as its damage, and all must deal alike.
  void keep() { kept_ = sums_; }
  void drop();

 private:
  std::vector<std::uint64_t> sums_;  // of letters, by shard
  std::vector<std::uint64_t> kept_;
  std::set<std::pair<std::uint64_t, std::size_t>> order_;  // of (sum, shard)
};

}  // namespace virnucpro
