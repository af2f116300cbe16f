#pragma once

#include <hdf5.h>

namespace virnucpro {

// A driver for HDF5 that reads an open file, with pread() alone: HDF5's own open files by name,
// which a process that decodes untrusted files may not do. Use it for H5Fopen() by setting it in
// the file access properties `access`; the name given to H5Fopen() then means nothing.
// Returns the driver's identifier, for H5FDunregister(); negative when HDF5 failed.
hid_t read_held_file(hid_t access, int file, hsize_t size);

}  // namespace virnucpro
