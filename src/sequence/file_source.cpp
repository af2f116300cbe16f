#include "sequence/file_source.hpp"

#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {
namespace {

constexpr int kPlain = 0;  // of bgzf_compression()
constexpr int kBgzf = 2;

// htslib reports on stderr by itself; our errors say it once, and with the record.
void silence_htslib() {
  static std::once_flag once;
  std::call_once(once, [] { hts_set_log_level(HTS_LOG_OFF); });
}

// Without waiting for the writer of a named pipe: that is the relay's, which can be interrupted.
UniqueFd open_descriptor(const std::string& path) {
  UniqueFd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                          : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0) throw Error(ErrorKind::kInputMissing, errno_text(errno));
  return fd;
}

// Files give what they have at once; pipes, terminals and sockets may stay silent for ever.
bool may_be_silent(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

Error read_error(BGZF& stream) {
  if (const int error = herrno(stream.fp); error != 0) {
    return {ErrorKind::kInputRead, errno_text(error)};
  }
  char next = 0;
  const bool at_end = hpeek(stream.fp, &next, 1) == 0;
  const bool cut =
      (stream.errcode & BGZF_ERR_IO) != 0 || ((stream.errcode & BGZF_ERR_HEADER) != 0 && at_end);
  if (cut) return {ErrorKind::kInputTruncated, "the compressed stream is cut"};
  return {ErrorKind::kInputCorrupt, "the compressed stream does not decode to what its CRC names"};
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
    fd = relay_->take_output();
  }
  hFILE* const raw = hdopen(fd.get(), "r");
  if (raw == nullptr) throw Error(ErrorKind::kInputRead, errno_text(errno));
  fd.release();  // raw's from here on
  stream_.reset(bgzf_hopen(raw, "r"));
  if (!stream_) {
    const int error = errno;
    hclose_abruptly(raw);
    throw Error(ErrorKind::kInputRead, errno_text(error));
  }
  cancel_.check();
}

FileSource::~FileSource() = default;

std::size_t FileSource::read(std::span<char> buffer) {
  cancel_.check();
  if (!stream_) return 0;
  const ssize_t count = bgzf_read(stream_.get(), buffer.data(), buffer.size());
  if (count <= 0) check_relay();
  if (count < 0) throw read_error(*stream_);
  const auto size = static_cast<std::size_t>(count);
  if (!started_) check_start(buffer.first(size));
  started_ = true;
  if (size == 0) finish();
  return size;
}

// Whatever ends a relay early looks like an end or a cut of the text.
void FileSource::check_relay() const {
  cancel_.check();
  if (!relay_ || relay_->error() == 0) return;
  throw Error(ErrorKind::kInputRead, errno_text(relay_->error()));
}

// htslib takes what is shorter than a BGZF header for plain text.
void FileSource::check_start(std::span<const char> text) {
  if (text.empty() || bgzf_compression(stream_.get()) != kPlain || text[0] != '\x1f') return;
  if (text.size() == 1 || text[1] == '\x8b') {
    throw Error(ErrorKind::kInputTruncated, "the compressed stream is cut in its first header");
  }
}

void FileSource::finish() {
  if (bgzf_compression(stream_.get()) == kBgzf && stream_->last_block_eof == 0) {
    throw Error(ErrorKind::kInputTruncated, "the BGZF end marker is missing");
  }
  if (bgzf_close(stream_.release()) != 0) {
    throw Error(ErrorKind::kInputRead, "the stream did not close cleanly");
  }
}

}  // namespace virnucpro
