#include "measure/compare/hdf5_held_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

#include "base/checked.hpp"

namespace virnucpro {
namespace {

constexpr haddr_t kMostBytes = std::numeric_limits<std::int64_t>::max();

// The settings of the driver. HDF5 copies them.
struct HeldFile {
  int file = -1;
  haddr_t size = 0;
};

// An open file. HDF5 knows and fills only the first member.
struct OpenFile {
  H5FD_t common{};
  HeldFile held{};
  haddr_t end = 0;  // byte offset of the end of the part that HDF5 uses
};

OpenFile& own(H5FD_t* file) {
  return *reinterpret_cast<OpenFile*>(file);
}
const OpenFile& own(const H5FD_t* file) {
  return *reinterpret_cast<const OpenFile*>(file);
}

H5FD_t* open_file(const char* /*name*/, unsigned flags, hid_t access, haddr_t /*most*/) {
  const auto* const held = static_cast<const HeldFile*>(H5Pget_driver_info(access));
  if (held == nullptr || (flags & H5F_ACC_RDWR) != 0) return nullptr;
  auto* const opened = new OpenFile{.common = {}, .held = *held, .end = 0};
  return &opened->common;
}

herr_t close_file(H5FD_t* file) {
  delete &own(file);
  return 0;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return own(file).end;
}
herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  own(file).end = end;
  return 0;
}
haddr_t get_file_size(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return own(file).held.size;
}

// Reads zeros beyond the end of the file, as HDF5's own drivers do.
herr_t read_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t place,
                  std::size_t size, void* out) {
  if (!range_within<haddr_t>(place, size, kMostBytes)) return -1;
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t got = ::pread(own(file).held.file, to, size, static_cast<off_t>(place));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      std::fill_n(to, size, '\0');
      return 0;
    }
    to += got;
    place += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return 0;
}

H5FD_class_t driver() {
  H5FD_class_t driver{};
  driver.name = "held_file";
  driver.maxaddr = kMostBytes;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(HeldFile);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = get_end;
  driver.set_eoa = set_end;
  driver.get_eof = get_file_size;
  driver.read = read_bytes;
  // HDF5 requires `write`, but never calls it: the file is open only for reading.
  driver.write = [](H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) -> herr_t {
    return -1;
  };
  return driver;
}

}  // namespace

hid_t read_held_file(hid_t access, int file, hsize_t size) {
  static const H5FD_class_t kDriver = driver();  // static: HDF5 keeps its address
  const hid_t id = H5FDregister(&kDriver);
  const HeldFile held{.file = file, .size = size};
  if (id >= 0 && H5Pset_driver(access, id, &held) < 0) return H5I_INVALID_HID;
  return id;
}

}  // namespace virnucpro
