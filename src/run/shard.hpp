#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace virnucpro {

// A share of the inputs' sequences: that of one of several runs, which merge joins.
struct Shard {
  static constexpr std::uint64_t kMost = 4096;  // a merge reads them in parallel

  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

// "0/4" → {0, 4}; empty for any other text, and for an index that is not below the count.
std::optional<Shard> parse_shard(std::string_view text);

// Deals the sequences of all inputs, in input order, so that the shards get about as many letters:
// a sequence goes to the shard with the fewest so far, of several to the first. What counts is
// every record that is read, skipped ones, too. An input that fails counts for nothing. So every
// shard's run, and merge, find the same owners from the lengths alone.
class ShardSums {
 public:
  explicit ShardSums(std::uint64_t count);

  // The shard of the next sequence.
  std::size_t least() const { return order_.begin()->second; }
  void add(std::size_t shard, std::uint64_t letters);
  // At the end of each input: keeps what was added since the one before, or drops it.
  void keep() { kept_ = sums_; }
  void drop();

 private:
  std::vector<std::uint64_t> sums_;  // of letters, by shard
  std::vector<std::uint64_t> kept_;
  std::set<std::pair<std::uint64_t, std::size_t>> order_;  // of (sum, shard)
};

}  // namespace virnucpro
