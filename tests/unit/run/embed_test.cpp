#include "run/embed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/engine/tiny_models.hpp"
#include "unit/run/hdf5_read_back.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

struct Embeddings : testing::Test {
  EmbedSettings settings(FrameSource source, const std::string& text) const {
    EmbedSettings settings;
    write_text(directory / "in.fa", text);
    settings.inputs.paths = {(directory / "in.fa").string()};
    settings.models = {.dnabert_s = "synthetic:dnabert-s-tiny",
                       .esm2 = "synthetic:esm2_tiny",
                       .classifier = {},
                       .lookup = tiny_lookup()};
    settings.source = source;
    settings.dnabert_s = source != FrameSource::kProteins;
    settings.esm2 = source != FrameSource::kNucleotides;
    settings.merged = source == FrameSource::kSequences;
    settings.output = directory / "e.h5";
    return settings;
  }
  std::uint64_t run(const EmbedSettings& settings) {
    return embed(settings, counters, cancel).rows;
  }
  // The engine's own result for these frames.
  BatchResult expected(const std::vector<FrameTokens>& frames) const {
    const EngineOutputs outputs{.scores = false, .dnabert_s = true, .esm2 = true};
    return make_engine(tiny_models(), {.outputs = outputs}, cancel)->run(request_of(0, frames));
  }

  TempDir directory;
  RunCounters counters;
  Cancel cancel;
};

TEST_F(Embeddings, OfFramesAreThoseOfTheModelsInInputOrder) {
  const std::string letters = "ATGGCTGCTAAACGTCTGGCTGGTGCT";
  const std::uint64_t rows =
      run(settings(FrameSource::kSequences, ">s\n" + letters + "\n>t\nATGAAA\n"));
  std::vector<FrameTokens> frames;
  std::vector<std::string> ids;
  for (const auto& [name, text] : {std::pair{"s", letters}, {"t", std::string("ATGAAA")}}) {
    for (const Frame& frame : stop_free_frames(text)) {
      frames.push_back(frame_tokens(frame.protein, frame.nucleotides));
      ids.push_back(std::string(name) + "_chunk_1" + std::string(kFrameNames[frame.name]));
    }
  }
  EXPECT_EQ(rows, frames.size());
  const BatchResult result = expected(frames);
  const ReadBack back(directory / "e.h5");
  EXPECT_EQ(back.ids(), ids);
  EXPECT_EQ(back.matrix("dnabert_s").values, result.dnabert_s);
  EXPECT_EQ(back.matrix("esm2").values, result.esm2);
  EXPECT_THAT(back.matrix("merged").shape, ElementsAre(ids.size(), 48 + 32));
  EXPECT_EQ(back.attribute("synthetic_weights"), "true");
}

TEST_F(Embeddings, OfOneModelNeedOnlyThatOne) {
  EmbedSettings esm2 = settings(FrameSource::kSequences, ">s\nATGGCTGCTAAA\n");
  esm2.dnabert_s = false;
  esm2.merged = false;
  esm2.models.dnabert_s = "none";
  EXPECT_GT(run(esm2), 0U);
  const ReadBack back(directory / "e.h5");
  EXPECT_TRUE(back.has("esm2"));
  EXPECT_FALSE(back.has("dnabert_s"));
  EXPECT_FALSE(back.has("merged"));
}

TEST_F(Embeddings, OfProteinsAndNucleotidesTakeThemAsTheyAre) {
  for (const FrameSource source : {FrameSource::kProteins, FrameSource::kNucleotides}) {
    EmbedSettings given = settings(source, ">p\nMKV\n>q w\nCAT\n>p\nMKV\n");
    EXPECT_EQ(run(given), 3U);
    const BatchResult result = expected(
        {frame_tokens("MKV", "MKV"), frame_tokens("CAT", "CAT"), frame_tokens("MKV", "MKV")});
    const ReadBack back(directory / "e.h5");
    EXPECT_THAT(back.ids(), ElementsAre("p", "q", "p"));
    const bool proteins = source == FrameSource::kProteins;
    EXPECT_EQ(back.matrix(proteins ? "esm2" : "dnabert_s").values,
              proteins ? result.esm2 : result.dnabert_s);
  }
}

TEST_F(Embeddings, OfADamagedInputAreNotWritten) {
  EXPECT_EQ(thrown_kind([&] {
              run(settings(FrameSource::kSequences, std::string(">s\nATGAAA\n>t\nA\0", 15)));
            }),
            ErrorKind::kInputMalformed);
  EXPECT_EQ(thrown_kind([&] { run(settings(FrameSource::kProteins, ">p\nMK\n>q\n\n")); }),
            ErrorKind::kInputMalformed);
  EXPECT_EQ(directory.entries(), 1U);  // the input
}

}  // namespace
}  // namespace virnucpro
