#pragma once

#include <filesystem>
#include <optional>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "journal/journal.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// A run that lies in its output directory, finished or interrupted, to be read. It holds run.lock
// meanwhile; of a directory that cannot be written, or not now (its disk is full), journal and WAL
// are copied to the temporary folder first, since a journal of an interrupted run wants to be
// recovered.
class KeptRun {
 public:
  // Errors: kInputMissing without a journal, or one that may not be read; kOutputBusy while the run
  // is on, naming host and pid; kJournalDamaged; kTemporaryFolder; Cancel's.
  KeptRun(const std::filesystem::path& directory, const Cancel& cancel,
          Journal::Check check = Journal::Check::kDeep);

  const Journal& journal() const { return *journal_; }
  const Journal::Fingerprint& fingerprint() const { return fingerprint_; }
  // What the fingerprint has under a key. Errors: kJournalDamaged when it is not there.
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
