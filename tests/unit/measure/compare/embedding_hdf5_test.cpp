#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "measure/compare/embedding_reader.hpp"
#include "run/hdf5_handle.hpp"
#include "unit/child_status.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void write_dataset(hid_t file, const char* name, hid_t type, std::vector<hsize_t> shape,
                   const void* values) {
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                         H5Sclose, name);
  const Hdf5Handle set(
      H5Dcreate2(file, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
      name);
  ASSERT_GE(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
}

// Two rows: "a" is 1 and 2, "b" is 3 and 4.
std::string written(const TempDir& folder) {
  const std::string path = folder / "rows.h5";
  const Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                        path);
  const Hdf5Handle text(H5Tcopy(H5T_C_S1), H5Tclose, path);
  H5Tset_size(text.get(), 1);
  write_dataset(file.get(), "ids", text.get(), {2}, "ab");
  const std::array<double, 4> values{1, 2, 3, 4};
  write_dataset(file.get(), "esm2", H5T_NATIVE_DOUBLE, {2, 2}, values.data());
  return path;
}

TEST(Hdf5Embeddings, AreReadInAProcessThatMayOnlyReadAndAnswer) {
  const TempDir folder;
  const Cancel cancel;
  const auto reader = open_hdf5_embeddings(written(folder), cancel);
  ASSERT_EQ(reader->rows(), 2U);
  EXPECT_EQ(reader->id(1), "b");
  std::array<double, 2> row{};
  reader->read(0, 1, row);
  EXPECT_EQ(row, (std::array<double, 2>{3, 4}));
  EXPECT_THAT(read_text(place_of_child() / "status"),
              AllOf(HasSubstr("\nNoNewPrivs:\t1\n"), HasSubstr("\nSeccomp:\t2\n")));
}

// The file grows shorter than it says that it is, while it is open.
TEST(Hdf5Embeddings, ThatLoseTheirBytesAreZerosOrAnError) {
  const TempDir folder;
  const Cancel cancel;
  const std::string path = written(folder);
  const auto reader = open_hdf5_embeddings(path, cancel);
  std::filesystem::resize_file(path, 100);
  std::array<double, 2> row{7, 7};
  reason_of(ErrorKind::kInputMalformed, [&] {
    reader->read(0, 1, row);
    EXPECT_EQ(row, (std::array<double, 2>{0, 0}));
  });
}

}  // namespace
}  // namespace virnucpro
