#include "tables/spill_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kBufferSize = 1U << 20U;

constexpr const char* kWhat = "temporary file for sorting";

[[noreturn]] void fail(const std::filesystem::path& directory, int error) {
  throw write_error(directory, error, kWhat);
}

}  // namespace

SpillFile::SpillFile(const Directory& directory)
    : directory_(directory.path()), fd_(directory.create_nameless()) {
  if (fd_.get() < 0) fail(directory_, errno);
}

void SpillFile::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferSize) flush();
}

void SpillFile::flush() {
  if (const int error = write_all(fd_.get(), buffer_); error != 0) fail(directory_, error);
  written_ += buffer_.size();
  buffer_.clear();
}

void SpillFile::read(std::uint64_t offset, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t done = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(directory_, errno);
    if (done == 0) {
      throw Error(ErrorKind::kOutputWrite, Place{.file = directory_.string()},
                  fmt::format("{}: it is shorter than what was written", kWhat));
    }
    out = out.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

}  // namespace virnucpro
