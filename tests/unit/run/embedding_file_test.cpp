#include "run/embedding_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "run/hdf5_handle.hpp"
#include "unit/run/file_size_limit.hpp"
#include "unit/run/temp_dir.hpp"

namespace virnucpro {
namespace {

struct Matrix {
  std::vector<hsize_t> shape;
  std::vector<float> values;
};

// Reads a finished file with HDF5's own calls.
class ReadBack {
 public:
  explicit ReadBack(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path.string()) {}

  bool has(const char* name) const { return H5Lexists(file_.get(), name, H5P_DEFAULT) > 0; }

  Matrix matrix(const char* name) const {
    const Hdf5Handle dataset(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose, name);
    Matrix matrix{.shape = shape(dataset), .values = {}};
    matrix.values.resize(matrix.shape.at(0) * matrix.shape.at(1));
    EXPECT_GE(H5Dread(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      matrix.values.data()),
              0);
    return matrix;
  }

  std::vector<std::string> ids() const {
    const Hdf5Handle dataset(H5Dopen2(file_.get(), "ids", H5P_DEFAULT), H5Dclose, "ids");
    const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, "ids");
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, "ids");
    std::vector<char*> texts(shape(dataset).at(0));
    EXPECT_GE(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), 0);
    std::vector<std::string> ids(texts.begin(), texts.end());
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, texts.data());
    return ids;
  }

  std::string attribute(const char* name) const {
    const Hdf5Handle attribute(H5Aopen(file_.get(), name, H5P_DEFAULT), H5Aclose, name);
    const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, name);
    char* text = nullptr;
    EXPECT_GE(H5Aread(attribute.get(), type.get(), &text), 0);
    const std::string value = text;
    H5free_memory(text);
    return value;
  }

 private:
  static std::vector<hsize_t> shape(const Hdf5Handle& dataset) {
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, "shape");
    std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
    H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
    return shape;
  }

  Hdf5Handle file_;
};

TEST(EmbeddingFile, HoldsItsRowsInOrder) {
  const TempDir directory;
  const auto path = directory / "e.h5";
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

TEST(EmbeddingFile, HoldsWhatWasAskedFor) {
  const TempDir directory;
  EmbeddingFile file(directory / "e.h5", {.esm2 = 1}, {});
  file.add_row("x");
  file.write(0, {}, std::vector<float>{7});
  EXPECT_EQ(thrown_kind([&] { file.write(0, {}, {}); }), ErrorKind::kInternal);
  EXPECT_EQ(thrown_kind([&] { file.write(1, {}, std::vector<float>{7}); }), ErrorKind::kInternal);
  file.commit();
  const ReadBack back(directory / "e.h5");
  EXPECT_FALSE(back.has("dnabert_s"));
  EXPECT_FALSE(back.has("merged"));
  EXPECT_EQ(back.matrix("esm2").values, std::vector<float>{7});
}

// Over the edges of HDF5's chunks and of the ids that wait, and back again.
TEST(EmbeddingFile, ForgetsTheRowsOfADamagedInput) {
  const TempDir directory;
  {
    EmbeddingFile file(directory / "e.h5", {.dnabert_s = 768}, {});
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
  const ReadBack back(directory / "e.h5");
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

TEST(EmbeddingFile, LeavesNothingUnlessCommitted) {
  const TempDir directory;
  { EmbeddingFile(directory / "e.h5", {.esm2 = 1}, {}).add_row("x"); }
  EXPECT_EQ(directory.entries(), 0U);
}

TEST(EmbeddingFile, SaysWhyItCannotBeWritten) {
  const TempDir directory;
  EXPECT_EQ(thrown_kind([&] { EmbeddingFile(directory / "no" / "e.h5", {.esm2 = 1}, {}); }),
            ErrorKind::kOutputWrite);
  EXPECT_EQ(kind_with_full_disk(100000,
                                [&] {
                                  EmbeddingFile file(directory / "e.h5", {.esm2 = 2560}, {});
                                  const std::vector<float> values(2560, 1.0F);
                                  for (int k = 0; k < 1000; ++k) {
                                    file.write(file.add_row("x"), {}, values);
                                  }
                                  file.commit();
                                }),
            static_cast<int>(ErrorKind::kOutputWrite));
  EXPECT_EQ(directory.entries(), 0U);
}

}  // namespace
}  // namespace virnucpro
