#include "base/file_watch.hpp"

#include <fmt/format.h>

#include <utility>

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

}  // namespace

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool was_touched(const struct stat& before, const struct stat& now) {
  return before.st_ctim.tv_sec != now.st_ctim.tv_sec ||
         before.st_ctim.tv_nsec != now.st_ctim.tv_nsec;
}

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

}  // namespace virnucpro
