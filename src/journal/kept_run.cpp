#include "journal/kept_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/journal_files.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPart = 1U << 20U;  // bytes copied at once

struct stat file_state(const fs::path& file) {
  struct stat state {};
  ::lstat(file.c_str(), &state);
  return state;
}

bool is_unchanged(const struct stat& before, const struct stat& now) {
  return before.st_dev == now.st_dev && before.st_ino == now.st_ino &&
         before.st_size == now.st_size && before.st_mtim.tv_sec == now.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

[[noreturn]] void fail_temporary(const fs::path& file, int error) {
  throw Error(ErrorKind::kTemporaryFolder, Place{.file = file.string()}, errno_text(error));
}

void copy_to(const fs::path& from, const fs::path& to, const Cancel& cancel) {
  const UniqueFd source =
      open_journal_file(from, O_RDONLY, ErrorKind::kInputMissing, ErrorKind::kInputMissing);
  const UniqueFd target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (target.get() < 0) fail_temporary(to, errno);
  std::string part(kPart, '\0');
  while (true) {
    cancel.check();
    const ssize_t got = ::read(source.get(), part.data(), part.size());
    if (got == 0) return;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(ErrorKind::kInputRead, Place{.file = from.string()}, errno_text(errno));
    }
    const auto bytes = std::string_view(part).substr(0, static_cast<std::size_t>(got));
    if (const int error = write_all(target.get(), bytes); error != 0) fail_temporary(to, error);
  }
}

}  // namespace

KeptRun::KeptRun(const fs::path& directory, const Cancel& cancel, Journal::Check check)
    : directory_(directory), file_(run_files::kJournal.in(directory)) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file_, error))) {
    const bool is_absent = !error || error == std::errc::no_such_file_or_directory;
    throw Error(ErrorKind::kInputMissing, Place{.file = directory_.string()},
                is_absent ? "it holds no journal of a run (run.db)" : error.message());
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
  copy_to(file_, copied, cancel);
  copy_to(log_of(file_), log_of(copied), cancel);
}

void KeptRun::lock() {
  lock_.emplace(Directory(directory_));
  if (is_unchanged(opened_, file_state(file_))) return;
  throw Error(ErrorKind::kOutputBusy, Place{.file = file_.string()},
              "a run changed it while it was read");
}

const std::string& KeptRun::value(const std::string& key) const {
  const auto found = fingerprint_.find(key);
  if (found != fingerprint_.end()) return found->second;
  throw Error(ErrorKind::kJournalDamaged, Place{.file = file_.string()},
              fmt::format("its fingerprint has no {}", key));
}

}  // namespace virnucpro
