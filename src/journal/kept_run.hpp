#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "journal/journal.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// A finished or interrupted run in its output directory, for reading. The directory may be a
// stranger's, and nothing in it is written, made or removed. SQLite has to recover the journal of a
// killed run from its log, so journal and log are first copied to the temporary folder.
class KeptRun {
 public:
  // Errors: kInputMissing for a journal that is missing or must not be read; kOutputBusy while the
  // run is active, naming host and pid; kJournalDamaged, also for files beside the journal that no
  // run leaves; kTemporaryFolder; those of Cancel.
  KeptRun(const std::filesystem::path& directory, const Cancel& cancel,
          Journal::Check check = Journal::Check::kDeep);

  const Journal& journal() const { return *journal_; }
  const Journal::Fingerprint& fingerprint() const { return fingerprint_; }
  // Returns the fingerprint's value for a key. Errors: kJournalDamaged when it is missing.
  const std::string& value(const std::string& key) const;
  const std::filesystem::path& directory() const { return directory_; }
  // Returns a hash of the fingerprint and, if finished, the content; it changes with the run.
  std::string identity() const;

  // Holds run.lock from now on, for a command that writes files into the directory. Errors:
  // kOutputBusy, also if the run was resumed or started anew since the constructor; kOutputWrite.
  void lock();
  // Replaces entries of the fingerprint of a finished run, which must be locked. Errors:
  // kOutputWrite, kJournalDamaged.
  void describe(const Journal::Fingerprint& entries, const Cancel& cancel);

 private:
  void copy_journal(const Cancel& cancel);
  bool is_same() const;

  std::filesystem::path directory_;
  std::filesystem::path file_;  // the journal's file
  struct stat opened_ {};       // the file's state when it was opened
  std::optional<TemporaryFolder> copy_;
  std::optional<Journal> journal_;
  Journal::Fingerprint fingerprint_;
  std::optional<RunLock> lock_;
};

}  // namespace virnucpro
