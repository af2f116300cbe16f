#include "base/steady_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"

namespace virnucpro {
namespace {

using Status = std::optional<struct stat>;

Status look_at(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? Status(status) : std::nullopt;
}

Status look_at(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? Status(status) : std::nullopt;
}

std::optional<std::string> difference(const Status& before, const Status& now) {
  if (!before || !now) return std::nullopt;
  if (!is_same_file(*before, *now)) return "another file has taken its name";
  if (before->st_size != now->st_size) {
    return fmt::format("it had {} bytes when it was opened, and has {} now", before->st_size,
                       now->st_size);
  }
  if (before->st_mtim.tv_sec != now->st_mtim.tv_sec ||
      before->st_mtim.tv_nsec != now->st_mtim.tv_nsec) {
    return "it was written to after it was opened";
  }
  return std::nullopt;
}

constexpr std::size_t kBlockBytes = 256U << 10U;  // bytes; fits into the processor's cache

}  // namespace

FileWatch::FileWatch(int fd, std::string path) : fd_(fd), path_(std::move(path)) {
  const Status status = look_at(fd_);
  if (!status || !S_ISREG(status->st_mode)) return;
  opened_ = status;
  if (!path_.empty()) named_ = look_at(path_);
}

std::optional<std::string> FileWatch::change() const {
  if (!opened_) return std::nullopt;
  std::optional<std::string> found = difference(opened_, look_at(fd_));
  return found ? found : difference(named_, look_at(path_));
}

bool FileWatch::was_touched() const {
  const Status now = look_at(fd_);
  return opened_ && now && virnucpro::was_touched(*opened_, *now);
}

std::optional<std::uint64_t> FileWatch::size() const {
  return opened_ ? std::optional(static_cast<std::uint64_t>(opened_->st_size)) : std::nullopt;
}

SteadyFile::SteadyFile(const std::filesystem::path& path, const FileErrors& errors)
    : path_(path), errors_(errors) {
  const Place place{.file = path.string()};
  // O_NONBLOCK, because opening a FIFO would wait for a writer. A FIFO is refused below.
  fd_ = open_to_read(path, O_NONBLOCK);
  if (fd_.get() < 0) {
    const ErrorKind kind = kind_of_reading(errno, errors_.missing);
    throw Error(kind == ErrorKind::kInputRead ? errors_.unreadable : kind, place,
                errno_text(errno));
  }
  watch_.emplace(fd_.get(), "");  // do not watch the name
  if (!watch_->size()) throw Error(errors_.missing, place, "not a regular file");
  size_ = *watch_->size();
}

void SteadyFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (!range_within<std::uint64_t>(offset, out.size(), size_)) {
    throw Error(ErrorKind::kInternal, Place{.file = path_.string(), .offset = offset},
                "a read would go beyond the end of the file");
  }
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(kind_of_failure(errno, errors_.unreadable), offset, errno_text(errno));
    if (got == 0) {
      fail(errors_.changed, offset,
           fmt::format("the file now ends here; it had {} bytes when it was opened", size_));
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
