#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

#include "run/hdf5_handle.hpp"

namespace virnucpro {

struct Matrix {
  std::vector<hsize_t> shape;
  std::vector<float> values;
};

// Reads a complete file with HDF5's own functions.
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
    std::string value = text;
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

}  // namespace virnucpro
