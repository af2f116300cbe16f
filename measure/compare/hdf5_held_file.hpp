#pragma once

#include <hdf5.h>

namespace virnucpro {

// Makes HDF5 read an open file, with pread() alone: HDF5's own drivers open files by name, which a
// process that decodes untrusted files may not do. Sets a driver in the file access properties
// `access` for H5Fopen(); the name given to H5Fopen() then means nothing. Returns the driver's
// identifier, for H5FDunregister(); negative if HDF5 failed.
hid_t read_held_file(hid_t access, int file, hsize_t size);

}  // namespace virnucpro
