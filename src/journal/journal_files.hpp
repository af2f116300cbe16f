#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

// These check a journal and the files beside it before SQLite sees them. Our runs leave two regular
// files: run.db in WAL mode and, if a run was killed, run.db-wal. Other files come from elsewhere,
// and SQLite would act on them before a row can be checked: it rolls back run.db-journal, and
// deletes any file of the user's that this names.

// Errors: kJournalDamaged, naming the file, for a run.db-journal, run.db-shm, or anything but a
// regular file (or nothing) under the names of journal and log.
// Errors name `shown` instead of the path, if that is not empty; so do those of the next function.
void require_own_journal_files(const std::filesystem::path& journal,
                               const std::filesystem::path& shown = {});

// Opens a journal that require_own_journal_files() accepted. `flags` are those of open(2). Errors:
// `missing` where there is none; `kind` where it cannot be opened; kJournalDamaged for another kind
// of file.
UniqueFd open_journal_file(const std::filesystem::path& journal, int flags, ErrorKind missing,
                           ErrorKind kind, const std::filesystem::path& shown = {});

// Errors: kJournalDamaged if an open file does not begin like a journal: SQLite must not even open
// another program's database.
void require_journal_header(int fd, const std::filesystem::path& journal);

// True if a log with content lies beside the journal.
bool has_log(const std::filesystem::path& journal);
std::filesystem::path log_of(const std::filesystem::path& journal);

}  // namespace virnucpro
