#include "cli/version.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <htslib/hts.h>
#include <oneapi/dnnl/dnnl.h>
#include <sqlite3.h>

#include "base/version.hpp"
#include "cli/commit.hpp"  // written by the build
#include "cli/devices.hpp"

// VIRNUCPRO_BUILD_TYPE comes from CMake, for this file alone.

namespace virnucpro {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
  return fmt::format("{}.{}.{}", major, minor, release);
}

std::string libraries() {
  const dnnl_version_t& dnnl = *dnnl_version();
  return fmt::format("oneDNN {}.{}.{}, htslib {}, HDF5 {}, SQLite {}", dnnl.major, dnnl.minor,
                     dnnl.patch, hts_version(), hdf5_version(), sqlite3_libversion());
}

}  // namespace

std::string build_text() {
  return fmt::format("{}, {}", VIRNUCPRO_BUILD_TYPE, compiler());
}

std::string build_commit() {
  return VIRNUCPRO_COMMIT;
}

std::string version_text(bool details) {
  std::string text = fmt::format("virnucpro {}", program_version());
  if (!details) return text;
  text += fmt::format("\nbuild: {}", build_text());
  text += fmt::format("\ncommit: {}", build_commit());
  text += fmt::format("\nlibraries: {}", libraries());
  text += fmt::format("\nnumerics: version {}", kNumericsVersion);
  text += fmt::format("\nCUDA: {}", describe_cuda());
  text += fmt::format("\ndevices:\n{}", describe_devices());
  text.pop_back();  // the last line end
  return text;
}

}  // namespace virnucpro
