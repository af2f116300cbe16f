#include "run/shard.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace virnucpro {
namespace {

std::vector<std::size_t> owners_of(const std::vector<std::uint64_t>& lengths, ShardSums& sums) {
  std::vector<std::size_t> owners;
  for (const std::uint64_t length : lengths) {
    owners.push_back(sums.least());
    sums.add(owners.back(), length);
  }
  return owners;
}

using Owners = std::vector<std::size_t>;

TEST(ShardSums, DealsToTheShardWithTheFewestLetters) {
  ShardSums sums(3);
  EXPECT_EQ(owners_of({5, 3, 3, 1, 9, 9, 1}, sums), (Owners{0, 1, 2, 1, 2, 1, 0}));
}

TEST(ShardSums, GiveTheFirstOfSeveral) {
  ShardSums sums(2);
  EXPECT_EQ(owners_of({0, 0, 4, 4, 0}, sums), (Owners{0, 0, 0, 1, 0}));
}

TEST(ShardSums, ForgetAnInputThatFailed) {
  ShardSums sums(2);
  owners_of({10, 4}, sums);
  sums.keep();
  owners_of({100, 7, 9}, sums);
  sums.drop();
  EXPECT_EQ(owners_of({6, 1, 1}, sums), (Owners{1, 0, 1}));
}

TEST(ShardSums, OfOneShardIsThatShard) {
  ShardSums sums(1);
  EXPECT_EQ(owners_of({1, 2, 3}, sums), (Owners{0, 0, 0}));
}

TEST(ParseShard, TakesAnIndexBelowTheCount) {
  EXPECT_EQ(parse_shard("3/4")->index, 3U);
  EXPECT_EQ(parse_shard("0/4096")->count, 4096U);
  for (const char* text : {"", "1", "/", "4/4", "0/0", "0/4097", "-1/2", "1/2/3", "a/b"}) {
    EXPECT_FALSE(parse_shard(text)) << text;
  }
}

}  // namespace
}  // namespace virnucpro
