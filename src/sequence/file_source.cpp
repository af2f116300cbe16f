#include "sequence/file_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {
namespace {

// Opens the input, but does not wait for a pipe's writer: PipeRelay waits, and can be cancelled.
UniqueFd open_descriptor(const std::string& path) {
  UniqueFd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                          : open_to_read(path, O_NONBLOCK).release());
  if (fd.get() < 0) throw Error(kind_of_reading(errno), errno_text(errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::kInputRead, "it is a directory")
        .advised("Give the files in the directory instead.");
  }
  return fd;
}

// True for pipes, terminals and sockets: a read from them may never return.
bool may_be_silent(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

Error no_end_marker() {
  return {ErrorKind::kInputTruncated, "the BGZF end marker is missing"};
}

FileSource::FileSource(const std::string& path, const Cancel& cancel) : cancel_(cancel) {
  UniqueFd fd = open_descriptor(path);
  if (may_be_silent(fd.get())) {
    relay_ = std::make_unique<PipeRelay>(std::move(fd), cancel);
    fd = relay_->release_output();
  } else {
    watch_.emplace(fd.get(), path == "-" ? "" : path);
    first_ = static_cast<std::uint64_t>(std::max<off_t>(::lseek(fd.get(), 0, SEEK_CUR), 0));
  }
  bytes_.emplace(std::move(fd));
  try {
    start();
  } catch (const Error& error) {
    throw explained(error);
  }
  cancel_.check();
}

FileSource::~FileSource() = default;

void FileSource::start() {
  compressed_ = is_gzip(bytes_->peek(2));
  if (compressed_) decoder_.emplace(*bytes_);
}

std::size_t FileSource::read(std::span<char> buffer) {
  cancel_.check();
  if (block_.empty()) refill();
  if (block_.empty() && lacks_end_marker_ && requires_end_marker_) throw Error(no_end_marker());
  const std::size_t size = std::min(buffer.size(), block_.size());
  std::copy_n(block_.data(), size, buffer.data());
  block_.remove_prefix(size);
  return size;
}

// Sets block_ to the next part of the text; it is empty at the end of the text.
void FileSource::refill() {
  if (!bytes_) return;
  try {
    block_ = next_block();
  } catch (const Error& error) {
    throw explained(error);
  }
  position_ = bytes_->taken();
  if (block_.empty()) finish();
}

std::string_view FileSource::next_block() {
  if (decoder_) return decoder_->next();
  const std::string_view text = bytes_->peek();
  bytes_->take(text.size());
  return text;
}

// Returns the cause of `error`: the relay's failure, the file's change, or else `error` itself.
Error FileSource::explained(const Error& error) const {
  if (const int failure = relay_error(); failure != 0) {
    return {ErrorKind::kInputRead, errno_text(failure)};
  }
  if (const auto changed = change()) return {ErrorKind::kInputChanged, *changed};
  return error;
}

// Returns the relay's errno or 0. Check it at the end of a text: a failed relay looks like the end.
int FileSource::relay_error() const {
  cancel_.check();
  return relay_ ? relay_->error() : 0;
}

std::optional<std::string> FileSource::change() const {
  return bytes_ && watch_ ? watch_->change() : std::nullopt;
}

// Throws if the file changed or was read only in part: a plain text that was cut looks complete.
void FileSource::check_whole() const {
  if (const auto changed = change()) throw Error(ErrorKind::kInputChanged, *changed);
  const std::uint64_t size = watch_ ? watch_->size().value_or(0) : 0;
  if (first_ + position_ < size) {
    throw Error(ErrorKind::kInputRead,
                fmt::format("reading ended at byte {} of {}", first_ + position_, size));
  }
}

void FileSource::finish() {
  if (const int error = relay_error(); error != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(error));
  }
  check_whole();
  lacks_end_marker_ = decoder_ && decoder_->lacks_end_marker();
  decoder_.reset();
  bytes_.reset();
}

}  // namespace virnucpro
