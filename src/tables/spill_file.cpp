#include "tables/spill_file.hpp"

#include <fmt/format.h>

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
  const ssize_t size = read_at(fd_.get(), offset, out);
  if (size < 0) fail(directory_, errno);
  if (static_cast<std::size_t>(size) == out.size()) return;
  throw Error(ErrorKind::kOutputWrite, Place{.file = directory_.string()},
              fmt::format("{}: it is shorter than what was written", kWhat));
}

}  // namespace virnucpro
