#include "base/steady_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/system_failure.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kBlockBytes = 256U << 10U;  // fits into the processor's cache

}  // namespace

SteadyFile::SteadyFile(const std::filesystem::path& path, const FileErrors& errors)
    : path_(path), errors_(errors) {
  const Place place{.file = path.string()};
  // O_NONBLOCK: opening a FIFO would wait for a writer. It is refused below.
  fd_ = open_to_read(path, O_NONBLOCK);
  if (fd_.get() < 0) {
    const ErrorKind kind = kind_of_reading(errno, errors_.missing);
    throw Error(kind == ErrorKind::kInputRead ? errors_.unreadable : kind, place,
                errno_text(errno));
  }
  watch_.emplace(fd_.get(), "");  // no name: another file under this name changes nothing here
  if (!watch_->size()) throw Error(errors_.missing, place, "not a regular file");
  size_ = *watch_->size();
}

void SteadyFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (!range_within<std::uint64_t>(offset, out.size(), size_)) {
    throw Error(ErrorKind::kInternal, Place{.file = path_.string(), .offset = offset},
                "a read beyond the end of a file");
  }
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(kind_of_failure(errno, errors_.unreadable), offset, errno_text(errno));
    if (got == 0) {
      fail(errors_.changed, offset, fmt::format("it ends here now; it had {} bytes", size_));
    }
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

void SteadyFile::visit(const Extent& part,
                       const std::function<void(std::span<const std::byte>)>& visit) const {
  std::vector<std::byte> block(std::min<std::uint64_t>(part.size, kBlockBytes));
  for (std::uint64_t done = 0; done < part.size;) {
    const std::span<std::byte> next =
        std::span(block).first(std::min<std::uint64_t>(block.size(), part.size - done));
    read(part.offset + done, next);
    visit(next);
    done += next.size();
  }
}

void SteadyFile::check_unchanged() const {
  const std::optional<std::string> change = watch_->change();
  if (change) throw Error(errors_.changed, Place{.file = path_.string()}, *change);
}

void SteadyFile::fail(ErrorKind kind, std::uint64_t offset, const std::string& detail) const {
  throw Error(kind, Place{.file = path_.string(), .offset = offset}, detail);
}

}  // namespace virnucpro
