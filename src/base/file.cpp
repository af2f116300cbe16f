#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>
#include <utility>

namespace virnucpro {
namespace {

constexpr std::size_t kBufferSize = 1U << 20U;

constexpr const char* kFreeSpace =
    "Free space, then run the command again (predict with --resume), or choose another --output; "
    "an incomplete file never has its final name.";

// The remedy for EMLINK of FilePlace::open_to_append().
constexpr const char* kUnlink =
    "The file has a second name (a hard link, as cp -al makes for a backup), and would change "
    "under that name, too. Give the run its own copy: cp FILE COPY, then mv COPY FILE.";

[[noreturn]] void fail_write(const std::filesystem::path& path, int error) {
  throw write_error(path, error);
}

// Opens the folder of a file to be written. Errors name the file, because the user gave its name.
Directory folder_of(const FilePlace& place) {
  if (place.folder) return *place.folder;
  try {
    return Directory(place.path.parent_path());
  } catch (const Error& error) {
    throw Error(error.kind(), Place{.file = place.path.string()}, error.detail());
  }
}

}  // namespace

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

Error write_error(const std::filesystem::path& path, int error, const std::string& what) {
  Error failure(kind_of_failure(error, ErrorKind::kOutputWrite), Place{.file = path.string()},
                (what.empty() ? what : what + ": ") + errno_text(error));
  if (error == ENOSPC || error == EDQUOT) failure.advise(kFreeSpace);
  if (error == EMLINK) failure.advise(kUnlink);
  return failure;
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

ssize_t read_at(int fd, std::uint64_t offset, std::span<char> out) {
  std::size_t size = 0;
  while (size < out.size()) {
    const ssize_t got =
        ::pread(fd, &out[size], out.size() - size, static_cast<off_t>(offset + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return got;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(size);
}

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int UniqueFd::release() {
  return std::exchange(fd_, -1);
}

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(release());
}

UniqueFd open_retrying(const std::filesystem::path& path, int flags, mode_t mode) {
  return open_retrying_at(AT_FDCWD, path, flags, mode);
}

UniqueFd open_retrying_at(int folder, const std::filesystem::path& path, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = ::openat(folder, path.c_str(), O_CLOEXEC | flags, mode);
  } while (fd < 0 && errno == EINTR);
  return UniqueFd(fd);
}

UniqueFd open_to_read(const std::filesystem::path& path, int flags) {
  return open_retrying(path, O_RDONLY | flags);
}

std::filesystem::file_status status_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const ErrorKind kind = kind_of_reading(error.value(), ErrorKind::kInternal);
  if (kind == ErrorKind::kInternal) return status;
  throw Error(kind, Place{.file = path.string()}, errno_text(error.value()));
}

bool is_there(const std::filesystem::path& path) {
  return std::filesystem::exists(status_of(path));
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool was_touched(const struct stat& before, const struct stat& now) {
  return before.st_ctim.tv_sec != now.st_ctim.tv_sec ||
         before.st_ctim.tv_nsec != now.st_ctim.tv_nsec;
}

std::string read_small_file(int file, const std::filesystem::path& path, std::size_t limit,
                            ErrorKind kind) {
  const Place place{.file = path.string()};
  std::string text;
  std::string part(64U << 10U, '\0');
  while (true) {
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(kind_of_reading(errno, kind), place, errno_text(errno));
    if (got == 0) return text;
    text.append(part, 0, static_cast<std::size_t>(got));
    if (text.size() > limit) {
      throw Error(kind, place, fmt::format("the file is larger than the limit of {} bytes", limit));
    }
  }
}

std::string beginning_of(const std::filesystem::path& path, std::size_t size) {
  constexpr std::size_t kLeast = 4096;
  std::string found;
  std::ifstream file(path, std::ios::binary);
  // Reads in steps, because most files are far shorter than `size`.
  while (file && found.size() < size) {
    const std::size_t had = found.size();
    found.resize(std::min(size, std::max(kLeast, 2 * had)));
    file.read(found.data() + had, static_cast<std::streamsize>(found.size() - had));
    found.resize(had + static_cast<std::size_t>(file.gcount()));
  }
  return found;
}

AtomicFile::AtomicFile(const std::filesystem::path& path) : AtomicFile(FilePlace(path)) {}

AtomicFile::AtomicFile(const FilePlace& place)
    : path_(place.path), partial_(partial_name(path_)), folder_(folder_of(place)) {
  make();
}

void AtomicFile::make() {
  const std::string name = partial_.filename().string();
  folder_.remove_leftover(name);
  fd_ = folder_.create(name);
  if (fd_.get() < 0) fail_write(partial_, errno);
}

std::filesystem::path AtomicFile::reachable_path() const {
  return reachable(fd_.get(), partial_);
}

std::filesystem::path AtomicFile::partial_name(const std::filesystem::path& path) {
  return path.string() + ".virnucpro-partial";
}

AtomicFile::~AtomicFile() {
  if (fd_.get() < 0 || is_anothers()) return;
  ::unlinkat(folder_.fd(), partial_.filename().c_str(), 0);
}

bool AtomicFile::is_anothers() const {
  struct stat own {};
  struct stat named {};
  return ::fstat(fd_.get(), &own) == 0 &&
         ::fstatat(folder_.fd(), partial_.filename().c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         !is_same_file(own, named);
}

void AtomicFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void AtomicFile::flush() {
  if (const int error = write_all(fd_.get(), buffer_); error != 0) fail_write(partial_, error);
  written_ += buffer_.size();
  buffer_.clear();
}

void AtomicFile::truncate(std::uint64_t size) {
  flush();
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(fd_.get(), end) != 0 || ::lseek(fd_.get(), end, SEEK_SET) != end) {
    fail_write(partial_, errno);
  }
  written_ = size;
}

void AtomicFile::sync() {
  flush();
  std::string().swap(buffer_);  // frees memory, because many files may wait for commit()
  if (::fsync(fd_.get()) != 0) fail_write(partial_, errno);
}

void AtomicFile::commit() {
  sync();
  if (is_anothers()) {
    throw Error(ErrorKind::kOutputBusy, Place{.file = path_.string()},
                "another process is writing this file, too");
  }
  const int error = folder_.rename(partial_.filename(), path_.filename());
  if (error != 0) fail_write(path_, error);
  fd_.reset();
  folder_.sync();
}

void commit_together(std::deque<AtomicFile>& files) {
  for (AtomicFile& file : files) file.sync();
  for (AtomicFile& file : files) file.commit();
}

void sync_directory(const std::filesystem::path& directory) {
  Directory(directory).sync();
}

std::string_view other_kind_of(const std::filesystem::path& path) {
  std::error_code unknown;
  switch (std::filesystem::symlink_status(path, unknown).type()) {
    case std::filesystem::file_type::symlink:
      return "a symbolic link";
    case std::filesystem::file_type::directory:
      return "a directory";
    case std::filesystem::file_type::fifo:
      return "a named pipe";
    case std::filesystem::file_type::socket:
      return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character:
      return "a device";
    default:
      return {};
  }
}

UniqueFd open_regular_file(const std::filesystem::path& path, int flags) {
  if (const std::string_view other = other_kind_of(path); !other.empty()) {
    errno = other == "a symbolic link" ? ELOOP : EINVAL;
    return {};
  }
  // The entry may have changed after other_kind_of(): do not follow a link, do not wait for a
  // pipe's writer, and check the type again.
  UniqueFd fd = open_retrying(path, flags | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) return {};
  if (S_ISREG(status.st_mode)) return fd;
  errno = EINVAL;
  return {};
}

std::string why_distrusted(const struct stat& status, uid_t user) {
  if (status.st_uid != user && status.st_uid != 0) {
    return fmt::format("it belongs to another user (user id {})", status.st_uid);
  }
  const bool is_open = (status.st_mode & S_IWOTH) != 0;
  const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  return is_open && !is_sticky ? "every user may write to it (chmod o-w ends that)" : "";
}

bool is_file_name(std::string_view text) {
  constexpr std::size_t kLongest = 255;  // in bytes; Linux's limit
  if (text.empty() || text.size() > kLongest || text == "." || text == "..") return false;
  return std::ranges::none_of(text, [](char letter) {
    return letter == '/' || static_cast<unsigned char>(letter) < 0x20U || letter == 0x7f;
  });
}

}  // namespace virnucpro
