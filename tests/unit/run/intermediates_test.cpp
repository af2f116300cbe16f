#include "run/intermediates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "unit/run/hdf5_read_back.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

FramePart part_of(const std::string& id, std::size_t frames) {
  FramePart part;
  part.part.id = id;
  for (std::size_t i = 0; i < frames; ++i) {
    part.part.frames.push_back({.chunk = 0, .name = static_cast<std::uint8_t>(i)});
  }
  part.chunk_fasta = ">" + id + " chunk\n";
  part.nucleotide_fasta = ">" + id + " nucleotides\n";
  part.protein_fasta = ">" + id + " protein\n";
  return part;
}

struct IntermediateFiles : testing::Test {
  // Adds a sequence as a run does; every frame's embedding is its number.
  void add(const std::string& id, std::size_t frames) {
    files.add(part_of(id, frames), number);
    for (std::size_t i = 0; i < frames; ++i) write(number++);
  }
  void write(std::uint64_t frame) {
    const auto value = static_cast<float>(frame);
    files.write(frame, std::array{value}, std::array{-value});
  }

  TempDir directory;
  Intermediates files{
      RunFolder(directory.path()), "x", 300, {.dnabert_s = 1, .esm2 = 1, .merged = 2}, {}};
  std::uint64_t number = 0;
};

TEST_F(IntermediateFiles, HoldNothingOfADamagedInput) {
  add("a", 2);
  files.keep();
  add("broken1", 3);
  add("broken2", 1);
  files.drop();
  add("b", 2);
  add("c", 1);
  files.keep();
  add("broken3", 2);
  files.drop();
  files.commit();

  EXPECT_EQ(read_text(directory / "x_chunked300.fa"), ">a chunk\n>b chunk\n>c chunk\n");
  EXPECT_EQ(read_text(directory / "x_identified_nucleotide.fa"),
            ">a nucleotides\n>b nucleotides\n>c nucleotides\n");
  EXPECT_EQ(read_text(directory / "x_identified_protein.faa"),
            ">a protein\n>b protein\n>c protein\n");
  const ReadBack back(directory / "embeddings.h5");
  EXPECT_THAT(back.ids(), ElementsAre("a_chunk_1F1", "a_chunk_1F2", "b_chunk_1F1", "b_chunk_1F2",
                                      "c_chunk_1F1"));
  EXPECT_THAT(back.matrix("dnabert_s").values, ElementsAre(0, 1, 6, 7, 8));
  EXPECT_THAT(back.matrix("esm2").values, ElementsAre(0, -1, -6, -7, -8));
}

TEST_F(IntermediateFiles, TakeScoresOfFramesAddedBeforeALaterPart) {
  files.add(part_of("dropped", 1), 0);
  write(0);
  files.drop();
  files.add(part_of("a", 2), 1);
  files.add(part_of("b", 1), 3);
  for (const std::uint64_t frame : {3U, 1U, 2U}) write(frame);
  files.keep();
  files.commit();
  EXPECT_THAT(ReadBack(directory / "embeddings.h5").matrix("dnabert_s").values,
              ElementsAre(1, 2, 3));
}

TEST_F(IntermediateFiles, MayHoldNothing) {
  add("broken", 1);
  files.drop();
  files.commit();
  EXPECT_EQ(read_text(directory / "x_chunked300.fa"), "");
  EXPECT_THAT(ReadBack(directory / "embeddings.h5").ids(), ElementsAre());
}

TEST_F(IntermediateFiles, AppearOnlyWhenTheyAreWhole) {
  add("a", 1);
  for (const char* const name : {"x_chunked300.fa", "x_identified_nucleotide.fa",
                                 "x_identified_protein.faa", "embeddings.h5"}) {
    EXPECT_FALSE(std::filesystem::exists(directory / name));
  }
}

}  // namespace
}  // namespace virnucpro
