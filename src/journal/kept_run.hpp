#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "journal/journal.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// Reads a finished or interrupted run from its output directory, which may come from another
// person. Only lock() and describe() change files in it. SQLite recovers a killed run's journal
// from its log and changes both files. So both files are first copied to the temporary folder.
class KeptRun {
 public:
  // Errors: kInputMissing for a journal that does not exist or cannot be opened; kOutputBusy while
  // the run is active, naming host and pid; kJournalDamaged, also for files beside the journal that
  // no run leaves; kTemporaryFolder; those of Cancel.
  KeptRun(const std::filesystem::path& directory, const Cancel& cancel,
          Journal::Check check = Journal::Check::kDeep);

  const Journal& journal() const { return *journal_; }
  const Journal::Fingerprint& fingerprint() const { return fingerprint_; }
  // Returns the fingerprint's value for a key. Errors: kJournalDamaged if the key is missing.
  const std::string& value(const std::string& key) const;
  const std::filesystem::path& directory() const { return directory_; }
  // Returns a hash of the fingerprint and, for a finished run, of the scores and inputs.
  std::string identity() const;

  // Takes run.lock for the life of this object. Errors: kOutputBusy, also if the run was resumed or
  // started over since the constructor; kOutputWrite.
  void lock();
  // Sets entries in the fingerprint of a finished run. Call lock() first. Errors: kOutputWrite,
  // kJournalDamaged.
  void describe(const Journal::Fingerprint& entries, const Cancel& cancel);

 private:
  void copy_journal(const Cancel& cancel);
  bool is_same() const;

  std::filesystem::path directory_;
  std::filesystem::path file_;
  struct stat opened_ {};  // the state of the file when it was opened
  std::optional<TemporaryFolder> copy_;
  std::optional<Journal> journal_;
  Journal::Fingerprint fingerprint_;
  std::optional<RunLock> lock_;
};

}  // namespace virnucpro
