#pragma once

#include <hdf5.h>

#include <string>

#include "run/hdf5_handle.hpp"

namespace virnucpro {

// Helpers to write HDF5 files. Errors: kOutputWrite, naming `path`.

// Turns the empty file at `reachable` (AtomicFile::reachable_path()) into an HDF5 file. HDF5's file
// locks are off, so no other process may open the file before it has its final name.
Hdf5Handle create_hdf5(const std::string& reachable, const std::string& path);
void write_hdf5_attribute(const Hdf5Handle& file, const std::string& name, const std::string& value,
                          const std::string& path);
// Returns HDF5's type for strings of variable length.
Hdf5Handle hdf5_text(const std::string& path);
// Returns the properties of a dataset with chunks of [rows, width], or [rows] if `width` is 0.
Hdf5Handle hdf5_chunks(hsize_t rows, hsize_t width, const std::string& path);
void check_hdf5(herr_t result, const std::string& path);

// A dataset [rows, width], row-major, whose number of rows can change.
class GrowingDataset {
 public:
  GrowingDataset() = default;
  // With `width` 0 a row is one value, and there is no second dimension.
  GrowingDataset(const Hdf5Handle& file, const char* name, hid_t type, hsize_t width,
                 const Hdf5Handle& properties, const std::string& path);

  explicit operator bool() const { return static_cast<bool>(dataset_); }

  void resize(hsize_t rows);
  // Writes to rows [first, first + count), which must exist.
  void write(hsize_t first, hsize_t count, hid_t type, const void* data);
  void close() { check_hdf5(dataset_.close(), path_); }

 private:
  int rank() const { return width_ == 0 ? 1 : 2; }

  std::string path_;
  hsize_t width_ = 0;
  hsize_t rows_ = 0;
  Hdf5Handle dataset_;
};

}  // namespace virnucpro
