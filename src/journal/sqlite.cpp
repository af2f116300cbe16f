#include "journal/sqlite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {
namespace {

ErrorKind kind_of(int extended) {
  switch (extended) {
    case SQLITE_IOERR_SHORT_READ:
    case SQLITE_IOERR_CORRUPTFS:
    case SQLITE_IOERR_DATA:
      return ErrorKind::kJournalDamaged;
    default:
      break;
  }
  switch (extended & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return ErrorKind::kOutputWrite;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::kOutputBusy;
    case SQLITE_NOMEM:
      return ErrorKind::kOutOfMemory;
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_CONSTRAINT:
      return ErrorKind::kInternal;
    default:
      // SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR (a missing table or column), and limits that
      // this program never reaches (SQLITE_TOOBIG, SQLITE_INTERRUPT) mean damage.
      return ErrorKind::kJournalDamaged;
  }
}

// Throws SQLite's last error. `system` is the errno of the failed call, or 0.
[[noreturn]] void fail(sqlite3* database, const std::filesystem::path& path, int system) {
  const int code = sqlite3_extended_errcode(database);
  std::string why = code == SQLITE_INTERRUPT ? "its list of tables is a loop without an end"
                                             : sqlite3_errmsg(database);
  // The message may quote names from a damaged file, so bytes outside ASCII are replaced.
  std::replace_if(
      why.begin(), why.end(), [](unsigned char byte) { return byte >= 0x80U; }, '?');
  // SQLite may report a failed read as damage. If errno shows a failed read, throw that error.
  const bool is_damage = kind_of(code) == ErrorKind::kJournalDamaged;
  if (is_damage && kind_of_reading(system, ErrorKind::kJournalDamaged) != kind_of(code)) {
    throw Error(kind_of_reading(system), Place{.file = path.string()}, errno_text(system));
  }
  const bool system_failed = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  if ((code & 0xff) == SQLITE_FULL) throw write_error(path, ENOSPC, why);
  if (system_failed && system != 0) {
    if (kind_of(code) == ErrorKind::kOutputWrite) throw write_error(path, system, why);
    throw Error(kind_of(code), Place{.file = path.string()},
                fmt::format("{}: {}", why, errno_text(system)));
  }
  throw Error(kind_of(code), Place{.file = path.string()}, std::move(why));
}

[[noreturn]] void fail(sqlite3* database, const std::filesystem::path& path) {
  fail(database, path, sqlite3_system_errno(database));
}

struct Limit {
  int which;
  int most;
};

// All limits are above this program's needs. A unit has up to 16 MiB of ids, one more id, and its
// scores (unit.cpp). Tables have about ten columns, and statements some hundred bytes.
constexpr std::array kLimits{
    Limit{SQLITE_LIMIT_LENGTH, 32 << 20},
    Limit{SQLITE_LIMIT_SQL_LENGTH, 16 << 10},
    Limit{SQLITE_LIMIT_COLUMN, 64},
    Limit{SQLITE_LIMIT_EXPR_DEPTH, 32},
    Limit{SQLITE_LIMIT_COMPOUND_SELECT, 2},
    Limit{SQLITE_LIMIT_VDBE_OP, 10'000},
    Limit{SQLITE_LIMIT_FUNCTION_ARG, 8},
    Limit{SQLITE_LIMIT_ATTACHED, 0},
    Limit{SQLITE_LIMIT_VARIABLE_NUMBER, 64},
    Limit{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    Limit{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1},
    Limit{SQLITE_LIMIT_WORKER_THREADS, 0},
};

// The most steps of SQLite to read the schema. The schema's few rows take some ten steps each, but
// a crafted file's pages can form a tree that has practically no end.
constexpr int kMostSchemaSteps = 100'000;

// Compiles a statement. The first statement also makes SQLite read the schema.
int prepare_within_limits(sqlite3* database, std::string_view sql, sqlite3_stmt** statement) {
  sqlite3_progress_handler(
      database, kMostSchemaSteps, [](void*) { return 1; }, nullptr);
  const int code =
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), statement, nullptr);
  sqlite3_progress_handler(database, 0, nullptr, nullptr);
  return code;
}

// Returns an SQLite URI of the path. Characters that may have a meaning in a URI are escaped.
std::string uri_of(const std::filesystem::path& path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
  std::string uri = "file:";
  for (const char letter : path.string()) {
    if (kPlain.find(letter) != std::string_view::npos) {
      uri += letter;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return uri + "?immutable=1";
}

int keep_path(sqlite3_vfs* /*vfs*/, const char* path, int size, char* out) {
  const std::string_view text(path);
  if (text.size() >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  *std::copy(text.begin(), text.end(), out) = '\0';
  return SQLITE_OK;
}

// An SQLite file system (VFS) that does not resolve links in paths.
class PlainPaths {
 public:
  explicit PlainPaths(const char* base) : name_(std::string("virnucpro-") + base) {
    const sqlite3_vfs* const found = sqlite3_vfs_find(base);
    if (found == nullptr)
      throw Error(ErrorKind::kInternal, fmt::format("SQLite has no file system (VFS) {}", base));
    vfs_ = *found;
    vfs_.pNext = nullptr;
    vfs_.zName = name_.c_str();
    vfs_.xFullPathname = keep_path;
    sqlite3_vfs_register(&vfs_, 0);
  }
  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  sqlite3_vfs vfs_{};
};

const char* plain_paths(const char* vfs) {
  static const PlainPaths with_locks("unix");
  static const PlainPaths without_locks("unix-dotfile");
  return vfs == nullptr ? with_locks.name() : without_locks.name();
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3* database, std::string_view sql,
                                 const std::filesystem::path& path)
    : path_(path) {
  sqlite3_stmt* statement = nullptr;
  const int code = prepare_within_limits(database, sql, &statement);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(database, path_);
}

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_.get()), path_);
}

SqliteStatement& SqliteStatement::bind(int parameter, std::uint64_t value) {
  const auto number = narrow<std::int64_t>(value);
  if (!number) throw Error(ErrorKind::kInternal, "a number is too large for the journal");
  check(sqlite3_bind_int64(statement_.get(), parameter, *number));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

SqliteStatement& SqliteStatement::bind_blob(int parameter, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(),
                            SQLITE_TRANSIENT));
  return *this;
}

bool SqliteStatement::step() {
  errno = 0;
  const int code = sqlite3_step(statement_.get());
  // Read errno here: SQLite keeps it for some failures only, not for a write at a statement's end.
  const int system = errno;
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3_reset(statement_.get());  // allows another try; fail() still sees the error
  fail(sqlite3_db_handle(statement_.get()), path_, system);
}

void SqliteStatement::execute() {
  step();
  reset();
}

void SqliteStatement::reset() {
  check(sqlite3_reset(statement_.get()));
}

std::uint64_t SqliteStatement::integer(int column) const {
  const auto number = narrow<std::uint64_t>(
      static_cast<std::int64_t>(sqlite3_column_int64(statement_.get(), column)));
  if (number) return *number;
  throw Error(ErrorKind::kJournalDamaged, Place{.file = path_.string()},
              "a number in this file is negative");
}

std::string SqliteStatement::text(int column) const {
  return std::string(as_text(blob(column)));
}

std::span<const std::byte> SqliteStatement::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr) return {};
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

SqliteDatabase::SqliteDatabase(const std::filesystem::path& path, const char* vfs, Access access,
                               const std::filesystem::path& shown)
    : path_(shown.empty() ? path : shown) {
  const bool writes = access == Access::kReadWrite;
  const int flags = (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) |
                    SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_NOFOLLOW;
  sqlite3* database = nullptr;
  const std::string name = writes ? path.string() : uri_of(path);
  errno = 0;
  const int code = sqlite3_open_v2(name.c_str(), &database, flags, plain_paths(vfs));
  const int system = errno;
  database_.reset(database);
  if (database == nullptr) throw Error(ErrorKind::kOutOfMemory, "SQLite could not start");
  if (code != SQLITE_OK) fail(database, path_);
  sqlite3_extended_result_codes(database, 1);
  // If SQLite cannot open a file for writing, it opens the file read-only, without an error. If
  // memory or descriptors were missing, this function throws the error.
  const bool lacks = kind_of_reading(system, ErrorKind::kOutputWrite) != ErrorKind::kOutputWrite;
  if (writes && is_read_only() && lacks) throw write_error(path_, system);
  defend();
}

void SqliteDatabase::configure(int option, int value) {
  if (sqlite3_db_config(database_.get(), option, value, nullptr) == SQLITE_OK) return;
  throw Error(ErrorKind::kInternal, fmt::format("SQLite does not know the option {}", option));
}

void SqliteDatabase::defend() {
  configure(SQLITE_DBCONFIG_DEFENSIVE, 1);
  configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0);
  configure(SQLITE_DBCONFIG_ENABLE_VIEW, 0);
  configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
  configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
  for (const Limit& limit : kLimits) sqlite3_limit(database_.get(), limit.which, limit.most);
  execute("PRAGMA cell_size_check = ON");
  execute("PRAGMA mmap_size = 0");
}

void SqliteDatabase::keep_log(bool keeps) {
  configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps ? 1 : 0);
}

SqliteStatement SqliteDatabase::prepare(std::string_view sql) const {
  return {database_.get(), sql, path_};
}

void SqliteDatabase::execute(std::string_view sql) {
  SqliteStatement statement = prepare(sql);
  while (statement.step()) continue;  // some pragmas return rows
}

bool SqliteDatabase::is_read_only() const {
  return sqlite3_db_readonly(database_.get(), "main") == 1;
}

bool SqliteDatabase::was_moved() const {
  int moved = 0;
  sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

std::uint64_t SqliteDatabase::integer(std::string_view sql) const {
  SqliteStatement statement = prepare(sql);
  if (statement.step()) return statement.integer(0);
  throw Error(ErrorKind::kJournalDamaged, Place{.file = path_.string()},
              "a number in this file is missing");
}

SqliteTransaction::SqliteTransaction(SqliteDatabase& database) : database_(database) {
  database_.execute("BEGIN");
}

SqliteTransaction::~SqliteTransaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {  // SQLite has already rolled back
  }
}

void SqliteTransaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace virnucpro
