#include "sequence/file_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/system_failure.hpp"

namespace virnucpro {
namespace {

constexpr int kPlain = 0;  // a value of bgzf_compression()
constexpr int kBgzf = 2;

// htslib prints to stderr by itself; our errors report it once, with the record.
void silence_htslib() {
  static std::once_flag once;
  std::call_once(once, [] { hts_set_log_level(HTS_LOG_OFF); });
}

// Does not wait for the writer of a named pipe: the relay does, and can be interrupted.
UniqueFd open_descriptor(const std::string& path) {
  UniqueFd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                          : open_to_read(path, O_NONBLOCK).release());
  if (fd.get() < 0) throw Error(kind_of_reading(errno), errno_text(errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::kInputRead, "it is a directory");
  }
  return fd;
}

// Reading a file returns at once; pipes, terminals and sockets may be silent for ever.
bool may_be_silent(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
}

// After a gzip member zlib expects the next header, and after a BGZF end marker htslib does.
// Rubbish differs from a cut only if there are enough bytes for a header.
bool met_rubbish_behind_the_end(const BGZF& stream) {
  if (stream.gz_stream == nullptr) {
    return (stream.errcode & BGZF_ERR_HEADER) != 0 && stream.last_block_eof != 0;
  }
  const char* const message = stream.gz_stream->msg;
  return message != nullptr && message == std::string_view("incorrect header check");
}

Error read_error(BGZF& stream) {
  if (const int error = herrno(stream.fp); error != 0) {
    return {kind_of_failure(error, ErrorKind::kInputRead), errno_text(error)};
  }
  char next = 0;
  const bool at_end = hpeek(stream.fp, &next, 1) == 0;
  const bool cut =
      (stream.errcode & BGZF_ERR_IO) != 0 || ((stream.errcode & BGZF_ERR_HEADER) != 0 && at_end);
  if (cut) return {ErrorKind::kInputTruncated, "the compressed stream is cut"};
  if (met_rubbish_behind_the_end(stream)) {
    return {ErrorKind::kInputCorrupt, "something follows the end of the compressed stream"};
  }
  return {ErrorKind::kInputCorrupt, "the compressed stream does not decode to what its CRC names"};
}

std::span<const char> text_of(const BGZF& stream, std::size_t size) {
  return {static_cast<const char*>(stream.uncompressed_block), size};
}

// What zlib had written when htslib gave up the block; for a BGZF block this is unknown.
std::span<const char> text_before_failure(const BGZF& stream) {
  const z_stream* const inflater = stream.gz_stream;
  if (inflater == nullptr || inflater->next_out == nullptr) return {};
  return text_of(stream, BGZF_MAX_BLOCK_SIZE - std::size_t{inflater->avail_out});
}

}  // namespace

void FileSource::Close::operator()(BGZF* stream) const {
  bgzf_close(stream);
}

FileSource::FileSource(const std::string& path, const Cancel& cancel) : cancel_(cancel) {
  silence_htslib();
  UniqueFd fd = open_descriptor(path);
  if (may_be_silent(fd.get())) {
    relay_ = std::make_unique<PipeRelay>(std::move(fd), cancel);
    fd = relay_->release_output();
  } else {
    watch_.emplace(fd.get(), path == "-" ? "" : path);
    first_ = static_cast<std::uint64_t>(std::max<off_t>(::lseek(fd.get(), 0, SEEK_CUR), 0));
  }
  hFILE* const raw = hdopen(fd.get(), "r");
  if (raw == nullptr) {
    throw Error(kind_of_failure(errno, ErrorKind::kInputRead), errno_text(errno));
  }
  fd.release();  // owned by raw from here on
  stream_.reset(bgzf_hopen(raw, "r"));
  if (!stream_) {
    const int error = errno;
    hclose_abruptly(raw);
    throw Error(kind_of_failure(error, ErrorKind::kInputRead), errno_text(error));
  }
  compressed_ = bgzf_compression(stream_.get()) != kPlain;
  cancel_.check();
}

FileSource::~FileSource() = default;

std::size_t FileSource::read(std::span<char> buffer) {
  cancel_.check();
  if (block_.empty()) refill();
  const std::size_t size = std::min(buffer.size(), block_.size());
  std::copy_n(block_.data(), size, buffer.data());
  block_ = block_.subspan(size);
  return size;
}

// The next block, empty at the end of the text. It is taken from htslib's own buffer because a
// bgzf_read that fails returns nothing, even if part of the data was good.
void FileSource::refill() {
  if (stream_ && !failure_) {
    if (bgzf_read_block(stream_.get()) != 0) {
      failure_ = failure();
      block_ = text_before_failure(*stream_);
    } else {
      block_ = text_of(*stream_, static_cast<std::size_t>(stream_->block_length));
      position_ = static_cast<std::uint64_t>(htell(stream_->fp));
      if (!started_) check_start();
      if (block_.empty()) finish();
    }
    started_ = true;
  }
  if (failure_ && block_.empty()) throw *failure_;
}

Error FileSource::failure() const {
  if (const int error = relay_error(); error != 0) {
    return {ErrorKind::kInputRead, errno_text(error)};
  }
  if (const auto changed = change()) return {ErrorKind::kInputChanged, *changed};
  return read_error(*stream_);
}

// An error that ends the relay looks like an end or a cut of the text, so look for it first.
int FileSource::relay_error() const {
  cancel_.check();
  return relay_ ? relay_->error() : 0;
}

// htslib takes a gzip file shorter than a BGZF header for plain text.
void FileSource::check_start() const {
  if (block_.empty() || compressed_ || block_[0] != '\x1f') return;
  if (block_.size() == 1 || block_[1] == '\x8b') {
    throw Error(ErrorKind::kInputTruncated, "the compressed stream is cut in its first header");
  }
}

std::optional<std::string> FileSource::change() const {
  return stream_ && watch_ ? watch_->change() : std::nullopt;
}

// The end of a plain text looks the same wherever it comes.
void FileSource::check_whole() const {
  if (const auto changed = change()) throw Error(ErrorKind::kInputChanged, *changed);
  const std::uint64_t size = watch_ ? watch_->size().value_or(0) : 0;
  if (first_ + position_ < size) {
    throw Error(ErrorKind::kInputRead,
                fmt::format("it ended at byte {} of {}", first_ + position_, size));
  }
}

void FileSource::finish() {
  if (const int error = relay_error(); error != 0) {
    throw Error(ErrorKind::kInputRead, errno_text(error));
  }
  check_whole();
  if (bgzf_compression(stream_.get()) == kBgzf && stream_->last_block_eof == 0) {
    throw Error(ErrorKind::kInputTruncated, "the BGZF end marker is missing");
  }
  if (bgzf_close(stream_.release()) != 0) {
    throw Error(ErrorKind::kInputRead, "the stream did not close cleanly");
  }
}

}  // namespace virnucpro
