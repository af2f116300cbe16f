#pragma once

#include <filesystem>
#include <optional>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "journal/journal.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// A finished or interrupted run in its output directory, for reading. It holds run.lock meanwhile.
// SQLite has to recover the journal of an interrupted run. So if the directory cannot be written
// (now), journal and WAL are first copied to the temporary folder.
class KeptRun {
 public:
  // Errors: kInputMissing for a journal that is missing or must not be read; kOutputBusy while the
  // run is active, naming host and pid; kJournalDamaged; kTemporaryFolder; Cancel's.
  KeptRun(const std::filesystem::path& directory, const Cancel& cancel,
          Journal::Check check = Journal::Check::kDeep);

  const Journal& journal() const { return *journal_; }
  const Journal::Fingerprint& fingerprint() const { return fingerprint_; }
  // The fingerprint's value for a key. Errors: kJournalDamaged when it is missing.
  const std::string& value(const std::string& key) const;
  const std::filesystem::path& directory() const { return directory_; }

 private:
  bool acquire_lock();
  void copy_journal();

  std::filesystem::path directory_;
  std::optional<RunLock> lock_;
  std::optional<TemporaryFolder> copy_;
  std::optional<Journal> journal_;
  Journal::Fingerprint fingerprint_;
};

}  // namespace virnucpro
