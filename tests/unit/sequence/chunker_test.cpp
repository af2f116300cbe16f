#include "sequence/chunker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace virnucpro {
namespace {

using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Spans planned(std::uint64_t length, std::uint64_t size) {
  const ChunkPlan plan(length, size);
  Spans spans;
  for (std::uint64_t i = 0; i < plan.count(); ++i) {
    const Chunk chunk = plan.at(i);
    spans.emplace_back(chunk.begin, chunk.end);
  }
  return spans;
}

// The definition, word by word: walks along a list of overlaps.
Spans defined(std::uint64_t length, std::uint64_t size) {
  const std::uint64_t count = (length + size - 1) / size;
  if (count == 0) return {};
  const std::uint64_t surplus = count * size - length;
  const std::uint64_t lower = surplus / count;
  const std::uint64_t need = surplus - lower * (count - 1);
  Spans spans;
  std::uint64_t begin = 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    spans.emplace_back(begin, std::min(begin + size, length));
    begin += size - (j < need ? lower + 1 : lower);
  }
  return spans;
}

TEST(Chunker, FollowsTheDefinitionForEverySmallCase) {
  for (std::uint64_t size = 1; size <= 40; ++size) {
    for (std::uint64_t length = 0; length <= 400; ++length) {
      ASSERT_EQ(planned(length, size), defined(length, size)) << length << " by " << size;
    }
  }
}

TEST(Chunker, WorkedExamples) {
  EXPECT_EQ(planned(0, 500), Spans());
  EXPECT_EQ(planned(1, 500), (Spans{{0, 1}}));
  EXPECT_EQ(planned(500, 500), (Spans{{0, 500}}));
  EXPECT_EQ(planned(501, 500), (Spans{{0, 500}, {250, 501}}));
  EXPECT_EQ(planned(1001, 500), (Spans{{0, 500}, {333, 833}, {666, 1001}}));
  EXPECT_EQ(planned(3, 1), (Spans{{0, 1}, {1, 2}, {2, 3}}));
}

}  // namespace
}  // namespace virnucpro
