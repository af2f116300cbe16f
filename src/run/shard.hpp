#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// Shard `index` of `count`: the sequences that one of several runs computes. merge joins the runs.
struct Shard {
  static constexpr std::uint64_t kMost = 4096;  // a merge reads all shards at once

  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

// Parses "0/4" as {0, 4}. Empty for any other text, or if not index < count ≤ kMost.
std::optional<Shard> parse_shard(std::string_view text);

// Assigns the sequences of all inputs to shards, in input order, so that all shards get about the
// same number of letters. Each sequence, or pair, is assigned to the shard with the fewest letters
// so far; if several have the fewest, to the first. Skipped records count, too; failed inputs do
// not. Only lengths decide, so each shard's run, and merge, find the same shard for a sequence.
class ShardSums {
 public:
  explicit ShardSums(std::uint64_t count);

  // Returns the shard of the next sequence.
  std::size_t least() const { return order_.begin()->second; }
  void add(std::size_t shard, std::uint64_t letters);
  // Call keep() at the end of a complete input, and drop() at the end of a failed input. The
  // letters of a failed input do not count, because some shards may read less of it than others,
  // and all shards must assign alike.
  void keep() { kept_ = sums_; }
  void drop();

 private:
  std::vector<std::uint64_t> sums_;  // letters of each shard
  std::vector<std::uint64_t> kept_;
  std::set<std::pair<std::uint64_t, std::size_t>> order_;
};

}  // namespace virnucpro
