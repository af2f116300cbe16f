#include "run/hdf5_dataset.hpp"

#include <array>

#include "base/error.hpp"

namespace virnucpro {

void check_hdf5(herr_t result, const std::string& path) {
  if (result < 0) {
    throw Error(hdf5_kind(ErrorKind::kOutputWrite), Place{.file = path}, hdf5_reason());
  }
}

Hdf5Handle hdf5_text(const std::string& file) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, file);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Hdf5Handle hdf5_chunks(hsize_t rows, hsize_t width, const std::string& path) {
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
  const std::array<hsize_t, 2> chunk{rows, width};
  H5Pset_chunk(properties.get(), width == 0 ? 1 : 2, chunk.data());
  H5Pset_obj_track_times(properties.get(), false);  // equal data must give equal bytes
  return properties;
}

Hdf5Handle create_hdf5(const std::string& reachable, const std::string& path) {
  // Keep HDF5 from writing at exit: after a failed write it would try again, and crash.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // failures are thrown, not printed
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  // Turn locks off: only this process uses the file so far, and some file systems have no locks.
  H5Pset_file_locking(access.get(), 0, 1);
  return {H5Fcreate(reachable.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, path};
}

void write_hdf5_attribute(const Hdf5Handle& file, const std::string& name, const std::string& value,
                          const std::string& path) {
  const Hdf5Handle type = hdf5_text(path);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, path);
  const Hdf5Handle attribute(
      H5Acreate2(file.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, path);
  const char* text = value.c_str();
  check_hdf5(H5Awrite(attribute.get(), type.get(), &text), path);
}

GrowingDataset::GrowingDataset(const Hdf5Handle& file, const char* name, hid_t type, hsize_t width,
                               const Hdf5Handle& properties, const std::string& path)
    : path_(path), width_(width) {
  const std::array<hsize_t, 2> none{0, width};
  const std::array<hsize_t, 2> most{H5S_UNLIMITED, width};
  const Hdf5Handle space(H5Screate_simple(rank(), none.data(), most.data()), H5Sclose, path_);
  dataset_ = Hdf5Handle(
      H5Dcreate2(file.get(), name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
      H5Dclose, path_);
}

void GrowingDataset::resize(hsize_t rows) {
  if (rows == rows_) return;
  const std::array<hsize_t, 2> extent{rows, width_};
  check_hdf5(H5Dset_extent(dataset_.get(), extent.data()), path_);
  rows_ = rows;
}

void GrowingDataset::write(hsize_t first, hsize_t count, hid_t type, const void* data) {
  const std::array<hsize_t, 2> start{first, 0};
  const std::array<hsize_t, 2> size{count, width_};
  const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose, path_);
  check_hdf5(
      H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
      path_);
  const Hdf5Handle memory(H5Screate_simple(rank(), size.data(), nullptr), H5Sclose, path_);
  check_hdf5(H5Dwrite(dataset_.get(), type, memory.get(), space.get(), H5P_DEFAULT, data), path_);
}

}  // namespace virnucpro
