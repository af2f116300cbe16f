#include "measure/compare/row_match.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "unit/measure/compare/compare_files.hpp"

namespace virnucpro {
namespace {

struct Matched {
  RowCounts counts;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> both;  // numbers
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
};

Matched match(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  Matched result;
  RowList in_a(a);
  RowList in_b(b);
  const Cancel cancel;
  result.counts = match_rows(in_a, in_b,
                             {.both =
                                  [&result](const IdRow& x, const IdRow& y) {
                                    EXPECT_EQ(x.id, y.id);
                                    EXPECT_EQ(x.content, "content " + std::to_string(x.number));
                                    EXPECT_EQ(y.content, "content " + std::to_string(y.number));
                                    result.both.emplace_back(x.number, y.number);
                                  },
                              .only_a = [&](const IdRow& x) { result.only_a.push_back(x.id); },
                              .only_b = [&](const IdRow& x) { result.only_b.push_back(x.id); }},
                             cancel);
  EXPECT_EQ(result.counts.in_a, a.size());
  EXPECT_EQ(result.counts.in_b, b.size());
  EXPECT_EQ(result.counts.in_both, result.both.size());
  return result;
}

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
using Ids = std::vector<std::string>;

TEST(RowMatch, SameRowsInTheSameOrder) {
  const Matched result = match({"x", "y", "x"}, {"x", "y", "x"});
  EXPECT_EQ(result.both, (Pairs{{1, 1}, {2, 2}, {3, 3}}));
  EXPECT_TRUE(result.counts.same_order);
}

TEST(RowMatch, AnotherOrderIsSaidAndPairsComeInThatOfA) {
  const Matched result = match({"first", "c", "a", "b"}, {"first", "b", "c", "a"});
  EXPECT_EQ(result.both, (Pairs{{1, 1}, {2, 3}, {3, 4}, {4, 2}}));
  EXPECT_FALSE(result.counts.same_order);
}

TEST(RowMatch, MissingRowsLeaveTheOrderTheSame) {
  const Matched result = match({"a", "b", "c", "e"}, {"b", "c", "d", "e"});
  EXPECT_EQ(result.both, (Pairs{{2, 1}, {3, 2}, {4, 4}}));
  EXPECT_EQ(result.only_a, Ids{"a"});
  EXPECT_EQ(result.only_b, Ids{"d"});
  EXPECT_TRUE(result.counts.same_order);
}

TEST(RowMatch, EqualIdsAreMatchedInTheOrderTheyCome) {
  const Matched result = match({"z", "x", "x", "x", "y"}, {"x", "y", "x", "y"});
  EXPECT_EQ(result.both, (Pairs{{2, 1}, {3, 3}, {5, 2}}));
  EXPECT_EQ(result.only_a, (Ids{"x", "z"}));
  EXPECT_EQ(result.only_b, Ids{"y"});
}

TEST(RowMatch, OneEndsEarlier) {
  EXPECT_EQ(match({"a", "c", "b"}, {"a"}).only_a, (Ids{"c", "b"}));
  EXPECT_EQ(match({}, {"a", "a"}).only_b, (Ids{"a", "a"}));
  EXPECT_TRUE(match({}, {}).both.empty());
}

TEST(RowMatch, MoreRowsThanAreSortedInMemory) {
  const auto rows = 2 * limits().rows_in_sort + 10;
  Ids a;
  for (std::size_t k = 0; k < std::min<std::size_t>(rows, 200'000); ++k) {
    a.push_back("row_" + std::to_string(k * 7919 % 1'000'003));
  }
  const Ids b(a.rbegin(), a.rend());
  const Matched result = match(a, b);
  ASSERT_EQ(result.both.size(), a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(result.both[k], (std::pair<std::uint64_t, std::uint64_t>(k + 1, a.size() - k)));
  }
  EXPECT_FALSE(result.counts.same_order);
}

TEST(RowMatch, CanBeCancelled) {
  RowList a({"a"});
  RowList b({"b"});
  Cancel cancel;
  cancel.request(2);
  const auto ignore = [](const IdRow&) {};
  const RowVisitor visitor{
      .both = [](const IdRow&, const IdRow&) {}, .only_a = ignore, .only_b = ignore};
  EXPECT_EQ(thrown_kind([&] { match_rows(a, b, visitor, cancel); }), ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace virnucpro
