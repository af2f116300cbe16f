#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace virnucpro {
namespace {

constexpr std::size_t kBufferSize = 1U << 20U;

constexpr const char* kFreeSpace =
    "Free space, then run it again (predict with --resume), or choose another --output; no "
    "incomplete file has a final name.";

[[noreturn]] void fail_write(const std::filesystem::path& path, int error) {
  throw write_error(path, error);
}

}  // namespace

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

Error write_error(const std::filesystem::path& path, int error, const std::string& what) {
  Error failure(ErrorKind::kOutputWrite, Place{.file = path.string()},
                (what.empty() ? what : what + ": ") + errno_text(error));
  if (error == ENOSPC || error == EDQUOT) failure.advise(kFreeSpace);
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

MappedFile::MappedFile(const std::filesystem::path& path, ErrorKind missing) : path_(path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) {
    throw Error(missing, Place{.file = path.string()}, errno_text(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(missing, Place{.file = path.string()}, "not a regular file");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (mapping == MAP_FAILED) {
    throw Error(ErrorKind::kInputRead, Place{.file = path.string()}, errno_text(errno));
  }
  data_ = static_cast<const std::byte*>(mapping);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(part.data() - data_);
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = (begin + part.size()) / page * page;
  if (first >= last) return;
  // Advice only: a failure costs memory, not results.
  (void)::madvise(const_cast<std::byte*>(data_) + first, last - first, MADV_DONTNEED);
}

std::string read_small_file(const std::filesystem::path& path, std::size_t limit, ErrorKind kind) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) throw Error(kind, Place{.file = path.string()}, errno_text(errno));
  return read_small_file(fd.get(), path, limit, kind);
}

std::string read_small_file(int file, const std::filesystem::path& path, std::size_t limit,
                            ErrorKind kind) {
  const Place place{.file = path.string()};
  std::string text;
  std::string part(64U << 10U, '\0');
  while (true) {
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(kind, place, errno_text(errno));
    if (got == 0) return text;
    text.append(part, 0, static_cast<std::size_t>(got));
    if (text.size() > limit) {
      throw Error(kind, place, fmt::format("larger than the {} bytes it may have", limit));
    }
  }
}

std::string beginning_of(const std::filesystem::path& path, std::size_t size) {
  std::string found(size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(found.data(), static_cast<std::streamsize>(size));
  found.resize(static_cast<std::size_t>(file.gcount()));
  return found;
}

AtomicFile::AtomicFile(const std::filesystem::path& path) : AtomicFile(FilePlace(path)) {}

AtomicFile::AtomicFile(const FilePlace& place)
    : path_(place.path),
      partial_(partial_name(path_)),
      folder_(place.folder ? *place.folder : Directory(path_.parent_path())) {
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
  return path.string() + ".partial";
}

AtomicFile::~AtomicFile() {
  if (fd_.get() >= 0) ::unlinkat(folder_.fd(), partial_.filename().c_str(), 0);
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
  std::string().swap(buffer_);  // many files may wait long for their commit
  if (::fsync(fd_.get()) != 0) fail_write(partial_, errno);
}

void AtomicFile::commit() {
  sync();
  const int error = folder_.rename(partial_.filename(), path_.filename());
  if (error != 0) fail_write(path_, error);
  fd_.reset();
  folder_.sync();
}

void sync_directory(const std::filesystem::path& directory) {
  Directory(directory).sync();
}

}  // namespace virnucpro
