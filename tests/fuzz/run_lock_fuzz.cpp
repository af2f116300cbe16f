// A run.lock of any bytes: the lock is taken, or refused with a typed error.
#include <fstream>

#include "base/directory.hpp"
#include "fuzz/target.hpp"
#include "journal/run_files.hpp"
#include "journal/run_lock.hpp"

namespace {

using virnucpro::fuzz::may_refuse;

template <typename Take>
void take(const Take& take_one) {
  using enum virnucpro::ErrorKind;
  may_refuse(take_one, {kOutputBusy, kOutputWrite, kOutputExists});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const virnucpro::TemporaryFolder folder;
  std::ofstream(virnucpro::run_files::kLock.in(folder.path()), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  take([] { virnucpro::RunLock::require_free(folder.path()); });
  take([] { const virnucpro::RunLock lock(virnucpro::Directory(folder.path())); });
  return 0;
}
