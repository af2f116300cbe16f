#include "tables/spill_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kBufferSize = 1U << 20U;

constexpr const char* kWhat = "temporary file";

std::string temporary_folder() {
  const char* const set = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return set == nullptr ? "" : set;
}

}  // namespace

SpillFile::SpillFile(const Directory& beside) : follows_tmpdir_(!temporary_folder().empty()) {
  directory_ = follows_tmpdir_ ? std::filesystem::path(temporary_folder()) : beside.path();
  try {
    const Directory folder = follows_tmpdir_ ? Directory(directory_) : beside;
    fd_ = folder.create_nameless();
  } catch (const Error& error) {
    throw named(error);
  }
  if (fd_.get() < 0) fail(errno);
}

// Returns `error`; if the file is in TMPDIR, with the kind whose remedy names TMPDIR.
Error SpillFile::named(const Error& error) const {
  if (!follows_tmpdir_ || error.kind() != ErrorKind::kOutputWrite) return error;
  return {ErrorKind::kTemporaryFolder, error.place(), error.detail()};
}

void SpillFile::fail(int error) const {
  throw named(write_error(directory_, error, kWhat));
}

void SpillFile::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferSize) flush();
}

void SpillFile::flush() {
  if (const int error = write_all(fd_.get(), buffer_); error != 0) fail(error);
  written_ += buffer_.size();
  buffer_.clear();
}

void SpillFile::read(std::uint64_t offset, std::span<char> out) const {
  const ssize_t size = read_at(fd_.get(), offset, out);
  if (size < 0) fail(errno);
  if (static_cast<std::size_t>(size) == out.size()) return;
  throw named(
      Error(ErrorKind::kOutputWrite, Place{.file = directory_.string()},
            fmt::format("a {} in this folder is shorter than the data that was written", kWhat)));
}

}  // namespace virnucpro
