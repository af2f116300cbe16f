#include "tables/cut_offs.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "unit/made_cut_offs.hpp"

namespace virnucpro {
namespace {

TEST(ChunkBins, AreReadAndShown) {
  for (const char* text :
       {"1,2-4,5-19,20-", "1-", "1,2,3-", "1-3,4-18446744073709551614,18446744073709551615-"}) {
    const auto bins = parse_bins(text);
    ASSERT_TRUE(bins) << text;
    std::string shown;
    for (const ChunkBin& bin : *bins) shown += (shown.empty() ? "" : ",") + text_of(bin);
    EXPECT_EQ(shown, text);
  }
  const auto bins = parse_bins("1,2-4,5-").value();
  EXPECT_TRUE(bins[1].has(2) && bins[1].has(4));
  EXPECT_FALSE(bins[1].has(1) || bins[1].has(5));
}

TEST(ChunkBins, AreRefusedWithGapsAndWithoutEnds) {
  for (const char* text :
       {"", "0-", "1", "1,2-4", "2-", "1,3-", "1-2,2-", "1-,2-", "1,4-2,5-", "1,,2-", "1,x-",
        "1,-4,5-", "1,2-4,5-19,20-,", "1,18446744073709551616-"}) {
    EXPECT_FALSE(parse_bins(text)) << text;
  }
}

TEST(CutOffs, AreReadAsTheyWereWritten) {
  CutOffs made = made_cut_offs(RuleName::kViralNgs, {0.7, std::nullopt, -0.25});
  made.viral_ngs.min_chunks = 7;
  const auto found = read_made(made);
  EXPECT_EQ(found->rule, "viral-ngs");
  EXPECT_EQ(found->min_share, 0.5);
  EXPECT_EQ(found->viral_ngs, made.viral_ngs);
  EXPECT_EQ(found->made_for, made.made_for);
  EXPECT_EQ(found->false_rate, 0.02);
  EXPECT_EQ(found->confidence, 0.95);
  EXPECT_EQ(found->file, "cutoff.json");
  ASSERT_EQ(found->bins.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(found->bins[k].bin, made.bins[k].bin);
    EXPECT_EQ(found->bins[k].cut_off, made.bins[k].cut_off);
    EXPECT_EQ(found->bins[k].bound, made.bins[k].bound);
  }
  EXPECT_EQ(found->hash, seal_of(found->text));
  EXPECT_EQ(found->bin_of(1), 0U);
  EXPECT_EQ(found->bin_of(3), 1U);
  EXPECT_EQ(found->of(4).cut_off, -0.25);
}

void expect_refused(const std::string& text, const std::string& what) {
  try {
    (void)parse_cut_offs(text, "c.json", "c.json", ErrorKind::kCutOffs);
    ADD_FAILURE() << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCutOffs) << what;
    EXPECT_EQ(error.place().file, "c.json");
  }
}

TEST(CutOffs, AreRefusedIfTheFileWasCutOrEdited) {
  const std::string text = cut_offs_json(made_cut_offs(RuleName::kMajority, {0.7, 0.8, 0.9}), {});
  for (std::size_t size = 0; size < text.size() - 1; ++size)
    expect_refused(text.substr(0, size), "cut");
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string edited = text;
    edited[at] = static_cast<char>(edited[at] ^ 1);
    expect_refused(edited, edited.substr(at, 10));
  }
}

// A program of another version may have written it.
TEST(CutOffs, AreRefusedWithValuesThatCannotBe) {
  const std::vector<std::pair<const char*, std::function<void(CutOffs&)>>> faults{
      {"rule", [](CutOffs& one) { one.rule = "largest"; }},
      {"share", [](CutOffs& one) { one.min_share = 1.5; }},
      {"rate", [](CutOffs& one) { one.false_rate = -1; }},
      {"confidence", [](CutOffs& one) { one.confidence = 2; }},
      {"bound", [](CutOffs& one) { one.bins[1].bound = 1.1; }},
      {"cut-off", [](CutOffs& one) { one.bins[2].cut_off = 1.1; }},
      {"every chunk", [](CutOffs& one) { one.bins[2].cut_off = 0; }},
      {"a gap", [](CutOffs& one) { one.bins.erase(one.bins.begin() + 1); }},
      {"no end", [](CutOffs& one) { one.bins.pop_back(); }},
      {"no bins", [](CutOffs& one) { one.bins.clear(); }}};
  for (const auto& [what, spoil] : faults) {
    CutOffs made = made_cut_offs(RuleName::kMajority, {0.7, 0.8, 0.9});
    spoil(made);
    expect_refused(cut_offs_json(made, {}), what);
  }
  expect_refused(sealed_json({{"schema", "virnucpro-cut-offs-1"}, {"rule", "majority"}}),
                 "no numbers");
  expect_refused(sealed_json({{"schema", "virnucpro-calibration-1"}}), "another schema");
  expect_refused(sealed_json({{"schema", "virnucpro-cut-offs-1"}, {"bins", 3}, {"rule", 1}}),
                 "other types");
}

TEST(CutOffs, CountFalseCallsByBin) {
  const auto found = read_made(made_cut_offs(RuleName::kMajority, {0.7, std::nullopt, 0.9}));
  EXPECT_DOUBLE_EQ(most_false_calls(*found, {100, 1000, 250}), 3.5);
  EXPECT_EQ(false_calls_text(*found, {100, 0, 250}, 1204),
            "of 1,204 virus calls at most 4 are expected to be false if the sequences are like the "
            "negatives that cutoff.json was made from");
  EXPECT_TRUE(
      false_calls_text(*found, {100, 1000, 250}, 5)
          .ends_with(
              "was made from; of the scored sequences, 1,000 are never called virus, because "
              "there is no cut-off for their number of scored chunks"));
  EXPECT_TRUE(
      false_calls_text(*found, {400}, 4).ends_with("was made from: the calls may all be false"));
  EXPECT_TRUE(false_calls_text(*found, {400}, 5).ends_with("was made from"));
  EXPECT_EQ(false_calls_text(*found, {400}, 0), "");
  EXPECT_TRUE(false_calls_text(*found, {4, 1}, 0).starts_with("of the scored sequences, 1 are"));
}

}  // namespace
}  // namespace virnucpro
