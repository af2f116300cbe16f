#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

// These functions check a journal and the files beside it before SQLite opens them. A run leaves at
// most two files: run.db in WAL mode and, if the run was killed, run.db-wal. Any other file comes
// from another program, and SQLite would use the file before a row can be checked: SQLite rolls
// back run.db-journal and deletes any file that run.db-journal names.

// Checks a journal, its log and the files beside them. Errors: kJournalDamaged, naming the file,
// for a run.db-journal, a run.db-shm, or a journal or log that is not a regular file. If `shown` is
// not empty, errors name it instead of the path, also in open_journal_file().
void require_own_journal_files(const std::filesystem::path& journal,
                               const std::filesystem::path& shown = {});

// Opens a journal that require_own_journal_files() accepted. `flags` are those of open(2). Errors:
// `missing` if the journal does not exist, `kind` if it cannot be opened, kJournalDamaged if it is
// not a regular file.
UniqueFd open_journal_file(const std::filesystem::path& journal, int flags, ErrorKind missing,
                           ErrorKind kind, const std::filesystem::path& shown = {});

// Throws kJournalDamaged if an open file does not have a journal's header: SQLite must not open
// another program's database. Errors name `journal`.
void require_journal_header(int fd, const std::filesystem::path& journal);

// True if the journal has a log (run.db-wal) that is not empty.
bool has_log(const std::filesystem::path& journal);
std::filesystem::path log_of(const std::filesystem::path& journal);

}  // namespace virnucpro
