#include "journal/kept_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

bool can_be_written(const fs::path& directory) {
  return ::access(directory.c_str(), W_OK) == 0 &&
         ::access(run_files::kJournal.in(directory).c_str(), W_OK) == 0;
}

void require_readable(const fs::path& file) {
  if (::access(file.c_str(), R_OK) == 0) return;
  throw Error(ErrorKind::kInputMissing, Place{.file = file.string()}, errno_text(errno));
}

void copy_to(const fs::path& from, const fs::path& to) {
  require_readable(from);  // any later failure is the temporary folder's
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) throw Error(ErrorKind::kTemporaryFolder, Place{.file = to.string()}, error.message());
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
}

}  // namespace

KeptRun::KeptRun(const fs::path& directory, const Cancel& cancel, Journal::Check check)
    : directory_(directory) {
  std::error_code error;
  if (!fs::exists(run_files::kJournal.in(directory_), error)) {
    throw Error(ErrorKind::kInputMissing, Place{.file = directory_.string()},
                error ? error.message() : "it holds no journal of a run (run.db)");
  }
  if (!acquire_lock()) copy_journal();
  journal_.emplace(
      Journal::open(run_files::kJournal.in(copy_ ? copy_->path() : directory_), check, cancel));
  fingerprint_ = journal_->fingerprint();
}

// Returns whether run.lock could be taken. A full disk is no error: the user may want to see why.
bool KeptRun::acquire_lock() {
  if (!can_be_written(directory_)) return false;
  try {
    lock_.emplace(Directory(directory_));
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutputWrite) throw;
    log_info("{}; the journal is copied", error.what());
    return false;
  }
}

void KeptRun::copy_journal() {
  RunLock::require_free(directory_);
  copy_.emplace();
  for (const RunFile& file : {run_files::kJournal, run_files::kJournalWal}) {
    const fs::path original = file.in(directory_);
    std::error_code ignored;
    if (fs::exists(original, ignored)) copy_to(original, file.in(copy_->path()));
  }
}

const std::string& KeptRun::value(const std::string& key) const {
  const auto found = fingerprint_.find(key);
  if (found != fingerprint_.end()) return found->second;
  throw Error(ErrorKind::kJournalDamaged,
              Place{.file = run_files::kJournal.in(directory_).string()},
              fmt::format("its fingerprint has no {}", key));
}

}  // namespace virnucpro
