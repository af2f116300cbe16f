#include "journal/kept_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/steady_file.hpp"
#include "journal/journal_files.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPart = 1U << 20U;  // bytes copied at once

// A range of a file that has data and no hole, as byte offsets. If only a hole follows, both
// offsets are the file's end. If the file system knows no holes, the whole file is data.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
Stretch data_after(int file, std::uint64_t at, std::uint64_t end) {
  const off_t begin = ::lseek(file, static_cast<off_t>(at), SEEK_DATA);
  if (begin < 0) return {.begin = errno == ENXIO ? end : at, .end = end};
  const off_t hole = ::lseek(file, begin, SEEK_HOLE);
  return {.begin = static_cast<std::uint64_t>(begin),
          .end = hole < 0 ? end : std::min(end, static_cast<std::uint64_t>(hole))};
}

struct stat file_state(const fs::path& file) {
  struct stat state {};
  ::lstat(file.c_str(), &state);
  return state;
}

bool is_unchanged(const struct stat& before, const struct stat& now) {
  return is_same_file(before, now) && before.st_size == now.st_size &&
         before.st_mtim.tv_sec == now.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

[[noreturn]] void fail_temporary(const fs::path& file, int error) {
  throw Error(ErrorKind::kTemporaryFolder, Place{.file = file.string()}, errno_text(error));
}

[[noreturn]] void fail_read(const fs::path& file, int error) {
  throw Error(ErrorKind::kInputRead, Place{.file = file.string()}, errno_text(error));
}

[[noreturn]] void fail_changed(const fs::path& file, const char* why) {
  throw Error(ErrorKind::kOutputBusy, Place{.file = file.string()}, why)
      .advised("Wait until no program changes the file, then run this again.");
}

struct Copy {
  fs::path from;
  fs::path to;
  UniqueFd source{};
  UniqueFd target{};
};

// Copies at most `part.size()` bytes at offset `at`. Returns the number of copied bytes.
std::uint64_t copy_part(const Copy& copy, std::uint64_t at, std::span<char> part) {
  const ssize_t got = read_at(copy.source.get(), at, part);
  if (got < 0) fail_read(copy.from, errno);
  if (got == 0) {
    fail_changed(copy.from, "another program changed this file while it was read");
  }
  const std::string_view bytes(part.data(), static_cast<std::size_t>(got));
  if (::lseek(copy.target.get(), static_cast<off_t>(at), SEEK_SET) < 0) {
    fail_temporary(copy.to, errno);
  }
  if (const int error = write_all(copy.target.get(), bytes); error != 0) {
    fail_temporary(copy.to, error);
  }
  return bytes.size();
}

// Copies only data and keeps the holes: a file from another person may have holes of any size.
void copy_data(const Copy& copy, const Cancel& cancel) {
  struct stat status {};
  if (::fstat(copy.source.get(), &status) != 0) fail_read(copy.from, errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::string part(kPart, '\0');
  for (Stretch data = data_after(copy.source.get(), 0, size); data.begin < data.end;
       data = data_after(copy.source.get(), data.end, size)) {
    while (data.begin < data.end) {
      cancel.check();
      data.begin += copy_part(copy, data.begin,
                              std::span(part).first(std::min(kPart, data.end - data.begin)));
    }
  }
  if (::ftruncate(copy.target.get(), status.st_size) != 0) fail_temporary(copy.to, errno);
}

Copy open_both(const fs::path& from, const fs::path& to) {
  Copy copy{.from = from, .to = to};
  copy.source =
      open_journal_file(from, O_RDONLY, ErrorKind::kInputMissing, ErrorKind::kInputMissing);
  copy.target = open_retrying(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (copy.target.get() < 0) fail_temporary(to, errno);
  return copy;
}

std::string identity_of(const Journal& journal) {
  ByteWriter text;
  for (const auto& [key, value] : journal.fingerprint()) text.text(key).text(value);
  text.text(journal.content_hash());
  ContentHash hash;
  hash.update(as_bytes(text.bytes()));
  return hash.hex();
}

}  // namespace

KeptRun::KeptRun(const fs::path& directory, const Cancel& cancel, Journal::Check check)
    : directory_(directory), file_(run_files::kJournal.in(directory)) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file_, error))) {
    const Place place{.file = directory_.string()};
    if (error == std::errc::not_a_directory && is_there(directory_)) {
      throw Error(ErrorKind::kInputMissing, place, "it is a file, not the output of a run")
          .advised("Name the output directory of predict or merge.");
    }
    const bool is_absent = !error || error == std::errc::no_such_file_or_directory;
    const char* why = is_there(directory_) ? "it holds no journal of a run (run.db)"
                                           : "there is no such directory";
    throw Error(ErrorKind::kInputMissing, place, is_absent ? why : error.message());
  }
  require_own_journal_files(file_);
  RunLock::require_free(directory_);
  opened_ = file_state(file_);
  if (has_log(file_)) copy_journal(cancel);
  std::optional<fs::path> copied;
  if (copy_) copied = run_files::kJournal.in(copy_->path());
  journal_.emplace(Journal::open_to_read(file_, check, cancel, copied));
  fingerprint_ = journal_->fingerprint();
}

void KeptRun::copy_journal(const Cancel& cancel) {
  copy_.emplace();
  const fs::path copied = run_files::kJournal.in(copy_->path());
  const Copy journal = open_both(file_, copied);
  require_journal_header(journal.source.get(), file_);
  copy_data(journal, cancel);
  copy_data(open_both(log_of(file_), log_of(copied)), cancel);
}

std::string KeptRun::identity() const {
  return identity_of(*journal_);
}

// True if the journal's content is the same as when it was opened, although its times changed.
bool KeptRun::is_same() const {
  if (!journal_->finished() || has_log(file_)) return false;
  return identity_of(Journal::open_to_read(file_, Journal::Check::kQuick, Cancel())) == identity();
}

void KeptRun::lock() {
  lock_.emplace(Directory(directory_));
  const struct stat now = file_state(file_);
  if (is_unchanged(opened_, now) && (!was_touched(opened_, now) || is_same())) return;
  fail_changed(file_, "a run changed this file while it was read");
}

void KeptRun::describe(const Journal::Fingerprint& entries, const Cancel& cancel) {
  journal_.reset();  // closed first, because the file changes now
  copy_.reset();
  {
    Journal journal = Journal::open(file_, Journal::Check::kQuick, cancel);
    journal.describe(entries);
    journal.finish();
  }
  opened_ = file_state(file_);
  journal_.emplace(Journal::open_to_read(file_, Journal::Check::kQuick, cancel));
  fingerprint_ = journal_->fingerprint();
}

const std::string& KeptRun::value(const std::string& key) const {
  const auto found = fingerprint_.find(key);
  if (found != fingerprint_.end()) return found->second;
  throw Error(ErrorKind::kJournalDamaged, Place{.file = file_.string()},
              fmt::format("its fingerprint (the run's settings) has no entry {}", key));
}

}  // namespace virnucpro
