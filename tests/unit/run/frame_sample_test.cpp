#include "run/frame_sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tokens/esm_alphabet.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::IsEmpty;

struct FrameSamples : testing::Test {
  std::string file(const std::string& text) const {
    write_text(directory / "in.fa", text);
    return (directory / "in.fa").string();
  }

  TempDir directory;
  Cancel cancel;
};

std::size_t tokens_of(const std::vector<FrameTokens>& frames) {
  std::size_t tokens = 0;
  for (const FrameTokens& frame : frames) tokens += token_count(frame);
  return tokens;
}

TEST_F(FrameSamples, MadeUpProteinsAreAChunkLong) {
  const auto frames = sample_frames({.chunk_size = 500, .tokens = 1000}, nullptr, cancel);
  ASSERT_EQ(frames.size(), 6U);
  for (const FrameTokens& frame : frames) {
    EXPECT_EQ(frame.esm.size(), 166U + 2U);
    EXPECT_THAT(frame.dna, IsEmpty());
  }
  EXPECT_NE(frames[0].esm, frames[1].esm);
}

TEST_F(FrameSamples, MadeUpNucleotidesHaveTokensOfTheirModelOnly) {
  const auto frames = sample_frames({.chunk_size = 500, .tokens = 1000, .proteins = false},
                                    &tiny_tokenizer(), cancel);
  EXPECT_GE(tokens_of(frames), 1000U);
  for (const FrameTokens& frame : frames) {
    EXPECT_THAT(frame.esm, IsEmpty());
    EXPECT_GT(frame.dna.size(), 80U);
    EXPECT_LT(frame.dna.size(), 140U);
  }
}

TEST_F(FrameSamples, AreTheSameEachTimeAndBeginTheSame) {
  const auto few = sample_frames({.tokens = 400}, nullptr, cancel);
  const auto more = sample_frames({.tokens = 900}, nullptr, cancel);
  ASSERT_LT(few.size(), more.size());
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i].esm, more[i].esm);
}

TEST_F(FrameSamples, OfAFileAreItsFirstFrames) {
  const std::string path = file(">a\nATGGCTTAA\n>b\nATGAAATTT\n");
  const auto all = sample_frames({.file = path, .tokens = 10000}, nullptr, cancel);
  std::vector<std::vector<std::uint8_t>> expected;
  for (const char* letters : {"ATGGCTTAA", "ATGAAATTT"}) {
    for (const Frame& frame : stop_free_frames(letters)) {
      expected.push_back(esm_tokens(frame.protein));
    }
  }
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].esm, expected[i]);
  const auto first = sample_frames({.file = path, .tokens = 1}, nullptr, cancel);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].esm, expected[0]);
}

TEST_F(FrameSamples, OfAFileHaveTokensOfTheirModelOnly) {
  const std::string path = file(">a\nATGGCTGCTAAACGT\n");
  const auto frames =
      sample_frames({.file = path, .tokens = 1000, .proteins = false}, &tiny_tokenizer(), cancel);
  ASSERT_FALSE(frames.empty());
  for (const FrameTokens& frame : frames) {
    EXPECT_THAT(frame.esm, IsEmpty());
    EXPECT_GE(frame.dna.size(), 3U);
  }
}

TEST_F(FrameSamples, NeedAFrame) {
  for (const char* text : {">a\nTAACTAACTAACTTAGTTAGTTAG\n", ">a\n\n", ""}) {
    EXPECT_EQ(
        thrown_kind([&] { sample_frames({.file = file(text), .tokens = 9}, nullptr, cancel); }),
        ErrorKind::kUsage)
        << text;
  }
}

TEST_F(FrameSamples, AreMadeUpOfOneCodonButNotOfLess) {
  EXPECT_GE(tokens_of(sample_frames({.chunk_size = 3, .tokens = 100}, nullptr, cancel)), 100U);
  for (const std::uint64_t size : {1U, 2U}) {
    EXPECT_EQ(
        thrown_kind([&] { sample_frames({.chunk_size = size, .tokens = 100}, nullptr, cancel); }),
        ErrorKind::kUsage)
        << size;
  }
}

TEST_F(FrameSamples, EndWithADamagedFile) {
  const std::string path = file(">a\nATGGCT\n>b\nAT" + std::string(1, '\0'));
  EXPECT_EQ(thrown_kind([&] { sample_frames({.file = path, .tokens = 1000}, nullptr, cancel); }),
            ErrorKind::kInputMalformed);
}

TEST_F(FrameSamples, CanBeStopped) {
  cancel.request(SIGINT);
  EXPECT_EQ(thrown_kind([&] { sample_frames({.tokens = 1000}, nullptr, cancel); }),
            ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace virnucpro
