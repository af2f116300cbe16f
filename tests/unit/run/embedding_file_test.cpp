#include "run/embedding_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

#include "unit/file_size_limit.hpp"
#include "unit/run/hdf5_read_back.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

struct EmbeddingFiles : testing::Test {
  const TempDir directory;
  const std::filesystem::path path = directory / "e.h5";
};
using EmbeddingFilesDeathTest = EmbeddingFiles;

TEST_F(EmbeddingFiles, HoldsItsRowsInOrder) {
  {
    EmbeddingFile file(path, {.dnabert_s = 2, .esm2 = 3, .merged = 5},
                       {{"version", "1.0"}, {"empty", ""}});
    EXPECT_EQ(file.add_row("a_chunk_1F1"), 0U);
    EXPECT_EQ(file.add_row("caf\xe9"), 1U);
    EXPECT_EQ(file.add_row(""), 2U);
    const std::array<float, 2> dna{1, 2};
    const std::array<float, 3> protein{3, 4, 5};
    file.write(2, dna, protein);
    file.write(0, dna, protein);
    EXPECT_FALSE(std::filesystem::exists(path));
    file.commit();
  }
  const ReadBack back(path);
  EXPECT_EQ(back.ids(), (std::vector<std::string>{"a_chunk_1F1", "caf\xe9", ""}));
  const Matrix merged = back.matrix("merged");
  EXPECT_EQ(merged.shape, (std::vector<hsize_t>{3, 5}));
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(merged.values[k], static_cast<float>(k + 1));
    EXPECT_TRUE(std::isnan(merged.values[5 + k]));  // never written
    EXPECT_EQ(merged.values[10 + k], static_cast<float>(k + 1));
  }
  EXPECT_EQ(back.matrix("dnabert_s").shape, (std::vector<hsize_t>{3, 2}));
  EXPECT_EQ(back.matrix("esm2").values[7], 4.0F);
  EXPECT_EQ(back.attribute("version"), "1.0");
  EXPECT_EQ(back.attribute("empty"), "");
}

TEST_F(EmbeddingFiles, HoldsWhatWasAskedFor) {
  EmbeddingFile file(path, {.esm2 = 1}, {});
  file.add_row("x");
  file.write(0, {}, std::vector<float>{7});
  EXPECT_EQ(thrown_kind([&] { file.write(0, {}, {}); }), ErrorKind::kInternal);
  EXPECT_EQ(thrown_kind([&] { file.write(1, {}, std::vector<float>{7}); }), ErrorKind::kInternal);
  file.commit();
  const ReadBack back(path);
  EXPECT_FALSE(back.has("dnabert_s"));
  EXPECT_FALSE(back.has("merged"));
  EXPECT_EQ(back.matrix("esm2").values, std::vector<float>{7});
}

TEST_F(EmbeddingFiles, HasTheSameBytesAtAnotherTime) {
  for (const char* name : {"a.h5", "b.h5"}) {
    EmbeddingFile file(directory / name, {.dnabert_s = 1, .esm2 = 1, .merged = 2}, {{"a", "b"}});
    for (const char* id : {"x", "y"}) {
      file.write(file.add_row(id), std::vector<float>{1}, std::vector<float>{2});
    }
    file.commit();
    if (*name == 'a') std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // in seconds
  }
  EXPECT_TRUE(read_text(directory / "a.h5") == read_text(directory / "b.h5"));
}

// Across the edges of HDF5's chunks and of the waiting ids, and back again.
TEST_F(EmbeddingFiles, ForgetsTheRowsOfADamagedInput) {
  {
    EmbeddingFile file(path, {.dnabert_s = 768}, {});
    std::vector<float> values(768);
    const auto add = [&](const std::string& id, float value) {
      values.assign(values.size(), value);
      file.write(file.add_row(id), values, {});
    };
    for (int k = 0; k < 1100; ++k) add(std::to_string(k), 1.0F);
    file.truncate(1050);
    file.truncate(900);
    EXPECT_EQ(file.rows(), 900U);
    add("next", 2.0F);
    EXPECT_EQ(file.add_row("never written"), 901U);
    file.commit();
  }
  const ReadBack back(path);
  const auto ids = back.ids();
  ASSERT_EQ(ids.size(), 902U);
  EXPECT_EQ(ids[899], "899");
  EXPECT_EQ(ids[900], "next");
  const Matrix matrix = back.matrix("dnabert_s");
  ASSERT_EQ(matrix.shape[0], 902U);
  EXPECT_EQ(matrix.values[899 * 768], 1.0F);
  EXPECT_EQ(matrix.values[900 * 768 + 767], 2.0F);
  EXPECT_TRUE(std::isnan(matrix.values[901 * 768]));
}

TEST_F(EmbeddingFiles, LeavesNothingUnlessCommitted) {
  { EmbeddingFile(path, {.esm2 = 1}, {}).add_row("x"); }
  EXPECT_EQ(directory.entries(), 0U);
}

void write_rows(const std::filesystem::path& path) {
  EmbeddingFile file(path, {.esm2 = 2560}, {});
  const std::vector<float> values(2560, 1.0F);
  for (int k = 0; k < 1000; ++k) file.write(file.add_row("x"), {}, values);
  file.commit();
}

TEST_F(EmbeddingFiles, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(thrown_kind([&] { EmbeddingFile(directory / "no" / "e.h5", {.esm2 = 1}, {}); }),
            ErrorKind::kOutputWrite);
  EXPECT_EQ(kind_with_full_disk(100000, [&] { write_rows(path); }),
            static_cast<int>(ErrorKind::kOutputWrite));
  EXPECT_EQ(directory.entries(), 0U);
}

// HDF5 keeps a file that it could not close, and would write it again at exit.
TEST_F(EmbeddingFilesDeathTest, LetsTheProcessEndByItselfAfterAFullDisk) {
  const auto end_after_full_disk = [this] {
    ::signal(SIGXFSZ, SIG_IGN);
    limit_file_size(100000);
    std::exit(static_cast<int>(thrown_kind([&] { write_rows(path); })));
  };
  EXPECT_EXIT(end_after_full_disk(),
              testing::ExitedWithCode(static_cast<int>(ErrorKind::kOutputWrite)), "");
}

}  // namespace
}  // namespace virnucpro
