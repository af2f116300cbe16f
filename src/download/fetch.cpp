#include "download/fetch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "download/attempts.hpp"
#include "download/http_headers.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPartialMode = 0666;

// The partial file on disk, and its size so far.
class PartialFile {
 public:
  explicit PartialFile(const fs::path& path)
      : path_(path), fd_(open_retrying(path, O_RDWR | O_CREAT | O_NOFOLLOW, kPartialMode)) {
    if (fd_.get() < 0) fail();
    const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
    if (end < 0) fail();
    size_ = static_cast<std::uint64_t>(end);
  }

  const fs::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  void write(std::string_view part) {
    if (const int error = write_all(fd_.get(), part); error != 0) throw write_error(path_, error);
    size_ += part.size();
  }
  void clear() {
    if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) fail();
    size_ = 0;
  }
  void sync() {
    if (::fsync(fd_.get()) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw write_error(path_, errno); }

  fs::path path_;
  UniqueFd fd_;
  std::uint64_t size_ = 0;
};

class Fetch : public BodySink {
 public:
  Fetch(Sources& sources, const RemoteFile& remote, const ExpectedFile& expected, std::string name,
        const fs::path& partial, DownloadProgress& progress)
      : sources_(sources),
        expected_(expected),
        name_(std::move(name)),
        file_(partial),
        total_(expected.bytes),
        progress_(progress),
        version_(expected.has_hash() ? std::string{} : remote.etag) {}

  FileHashes from(const std::string& url) {
    url_ = url;
    const bool has_old_part = file_.size() > 0;
    std::optional<FileHashes> hashes = bring_and_check();
    if (!hashes && has_old_part) {
      log_warning("{}: the part from an earlier download does not match; fetching the whole file",
                  name_);
      hashes = bring_and_check();
    }
    if (!hashes) fail_mismatch(difference_);
    file_.sync();
    return *hashes;
  }

  // Returns true if a later download can continue the partial file.
  bool is_of_use() const { return total_ && file_.size() > 0; }
  void drop() { ::unlink(file_.path().c_str()); }
  // Forgets the size and version of the previous mirror, because the next mirror's file may differ.
  void forget_version(bool mismatched) {
    version_.clear();
    total_ = expected_.bytes;
    if (mismatched || !expected_.has_hash()) file_.clear();
  }

  bool accept(const HttpReply& reply) override {
    if (reply.status != 200 && reply.status != 206) return false;
    const std::string coding = reply.headers.get("content-encoding");
    if (!coding.empty() && coding != "identity") {
      throw network_error(
          url_,
          fmt::format("the server sent the file with the encoding {}: try another mirror", coding));
    }
    return reply.status == 200 ? accept_whole(reply) : accept_part(reply);
  }

  bool take(std::string_view part) override {
    if (part.size() > total_.value_or(most()) - file_.size()) {
      if (!total_) throw too_large_error(url_, most());
      fail_mismatch(fmt::format("the server sends more than the expected {} bytes", *total_));
    }
    file_.write(part);
    tick();
    return true;
  }

  void tick() override { progress_.at(file_.size()); }

 private:
  std::uint64_t most() const { return expected_.bytes.value_or(expected_.most); }

  // Fetches the file and returns its hashes. If the file is not as expected, empties the file and
  // returns nothing.
  std::optional<FileHashes> bring_and_check() {
    bring();
    const FileHashes found =
        hash_shown(file_.path(), !expected_.git_blob.empty(), sources_.cancel(), name_, progress_);
    difference_ = difference(expected_, found);
    if (difference_.empty()) return found;
    file_.clear();
    version_.clear();
    return std::nullopt;
  }

  void bring() {
    Attempts attempts(sources_.settings().retries, sources_.cancel());
    if (file_.size() > total_.value_or(most())) file_.clear();
    ended_ = false;
    progress_.begin(name_, file_.size(), total_);
    while (!(total_ ? file_.size() == *total_ : ended_)) {
      const HttpReply reply = request();
      ended_ =
          problem_.empty() && reply.failure.empty() && (reply.status == 200 || reply.status == 206);
      if (total_ ? file_.size() == *total_ : ended_) break;
      try_again(attempts, reply);
    }
    progress_.end();
  }

  void try_again(Attempts& attempts, const HttpReply& reply) {
    std::string why = std::exchange(problem_, {});
    const bool found_problem = !why.empty();
    if (reply.status == 416) file_.clear();  // the server's file has no further bytes
    const bool wrong_part = found_problem || reply.status == 416 || ended_;
    if (why.empty()) {
      why = ended_ ? fmt::format("the connection ended after {} bytes", file_.size())
                   : failure_text(reply);
    }
    if (!wrong_part && !may_pass(reply)) throw network_error(url_, why);
    if (file_.size() >= furthest_ + sources_.settings().pace.bytes) attempts.start_over();
    furthest_ = std::max(furthest_, file_.size());
    if (attempts.wait_for_next(fmt::format("{}: {}", name_, why),
                               reply.headers.number("retry-after"))) {
      return;
    }
    throw network_error(
        url_, fmt::format("{} (after {} attempts)", why, sources_.settings().retries + 1));
  }

  // Sends the request. Follows redirects here instead of in libcurl, so that only the hub's host
  // gets the token, and https never leads to http.
  HttpReply request() {
    std::string at = url_;
    for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
      const HttpRequest request{
          .url = at, .from = file_.size(), .if_range = version_, .token = sources_.token_for(at)};
      HttpReply reply = sources_.client().send(request, this);
      if (!reply.is_redirect() || !reply.failure.empty()) return reply;
      at = redirect_target(at, reply);
    }
    throw network_error(url_, fmt::format("more than {} redirects", kMostRedirects));
  }

  bool accept_whole(const HttpReply& reply) {
    if (file_.size() > 0) {
      log_warning("{}: the server sends {}; the download begins again", name_,
                  is_other_version(reply) ? "another version" : "the whole file again");
      file_.clear();
    }
    const std::optional<std::uint64_t> length = reply.headers.number("content-length");
    if (length && expected_.bytes && *length != *expected_.bytes) {
      fail_mismatch(
          fmt::format("the server's file has {} bytes, expected {}", *length, *expected_.bytes));
    }
    take_total(length);
    take_version(reply);
    progress_.begin(name_, 0, total_);
    return true;
  }

  bool accept_part(const HttpReply& reply) {
    const std::string text = reply.headers.get("content-range");
    const std::optional<ContentRange> range = parse_content_range(text);
    if (range && range->last >= most()) throw too_large_error(url_, most());
    if (is_other_version(reply)) {
      problem_ = "the file changed on the server";
    } else if (!range || range->first != file_.size() ||
               (range->total && total_ && *range->total != *total_)) {
      problem_ = fmt::format(
          "the server was asked to send the file from byte {} on, but its reply {}", file_.size(),
          text.empty() ? "does not say where its data begin"
                       : fmt::format("has the range \"{}\"", text));
    }
    if (!problem_.empty()) {
      file_.clear();
      version_.clear();
      if (!expected_.bytes) total_.reset();
      return false;
    }
    if (!total_) take_total(range->total);
    take_version(reply);
    return true;
  }

  // Uses the size in the reply if the expected size is unknown.
  void take_total(const std::optional<std::uint64_t>& total) {
    if (expected_.bytes) return;
    if (total > most()) throw too_large_error(url_, most());
    total_ = total;
    if (total) require_space(file_.path().parent_path(), *total - file_.size());
  }

  bool is_other_version(const HttpReply& reply) const {
    const std::string etag = reply.headers.get("etag");
    return !version_.empty() && !etag.empty() && etag != version_;
  }

  void take_version(const HttpReply& reply) {
    const std::string etag = reply.headers.get("etag");
    version_ = is_strong_etag(etag) ? etag : std::string{};
  }

  [[noreturn]] void fail_mismatch(const std::string& why) {
    throw Error(ErrorKind::kDownloadMismatch, Place{.file = url_}, why);
  }

  Sources& sources_;
  const ExpectedFile& expected_;
  std::string name_;
  PartialFile file_;
  std::optional<std::uint64_t> total_;  // bytes of the whole file
  DownloadProgress& progress_;
  std::string url_;
  std::string version_;  // the ETag of the file's content; empty if unknown
  std::string problem_;  // why the received bytes were refused
  std::string difference_;
  bool ended_ = false;  // the last reply was received completely
  std::uint64_t furthest_ = 0;
};

// Returns true if the partial file is kept. It is removed after a mismatch. It is also removed if
// it filled the disk and the full size is unknown, because the file may be endless.
bool leaves_use(const Error& error, const Fetch& fetch) {
  return error.kind() != ErrorKind::kDownloadMismatch &&
         (!error.is(ErrorClass::kOutput) || fetch.is_of_use());
}

}  // namespace

Error too_large_error(const std::string& url, std::uint64_t most) {
  return Error(ErrorKind::kDownloadMismatch, Place{.file = url},
               fmt::format("it has more bytes than the limit, {}", grouped(most)))
      .advised(
          "It was not installed. Download it from another server; if it is meant to be so large, "
          "give its size (\"bytes\") in a table of your own: --manifest FILE.");
}

void require_space(const fs::path& folder, std::uint64_t needed) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) throw write_error(folder, errno);
  const std::uint64_t free = std::uint64_t{status.f_bavail} * status.f_frsize;
  if (needed <= free) return;
  throw Error(ErrorKind::kNoSpace, Place{.file = folder.string()},
              fmt::format("{} are needed, and {} are free", size_text(needed), size_text(free)));
}

FileHashes fetch_file(Sources& sources, const RemoteFile& remote, const ExpectedFile& expected,
                      const std::string& name, const fs::path& partial,
                      DownloadProgress& progress) {
  Fetch fetch(sources, remote, expected, name, partial, progress);
  for (auto url = remote.urls.begin();; ++url) {
    try {
      return fetch.from(*url);
    } catch (const Error& error) {
      const bool is_last = url + 1 == remote.urls.end();
      const bool is_final = is_last || !error.is(ErrorClass::kServer);
      if (is_final && !leaves_use(error, fetch)) fetch.drop();
      if (is_final) throw;
      log_warning("{}; trying the next mirror", error.what());
      fetch.forget_version(error.kind() == ErrorKind::kDownloadMismatch);
    }
  }
}

}  // namespace virnucpro
