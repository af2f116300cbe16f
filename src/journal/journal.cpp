#include "journal/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "journal/early_scores.hpp"
#include "journal/fingerprint_entry.hpp"
#include "journal/journal_files.hpp"
#include "journal/run_files.hpp"
#include "journal/sqlite.hpp"
#include "journal/unit_blob.hpp"

namespace virnucpro {
namespace {

// Units of schema version 3 do not mark mates. A journal of version 3 can be read but not resumed,
// because that version assigned sequences to shards in another way.
constexpr std::uint64_t kSchemaVersion = 4;
constexpr std::uint64_t kOldestSchemaVersion = 3;

// SQL of the tables in the order of creation. check_schema() requires the same SQL in the file.
constexpr std::array<std::string_view, 5> kSchema{
    kFingerprintTable,
    "CREATE TABLE inputs(input INTEGER PRIMARY KEY, name TEXT NOT NULL, records INTEGER NOT NULL, "
    "bytes INTEGER NOT NULL, hash TEXT NOT NULL, failed INTEGER NOT NULL, error TEXT NOT NULL, "
    "message TEXT NOT NULL, record INTEGER NOT NULL, offset INTEGER NOT NULL, crc INTEGER NOT "
    "NULL) "
    "STRICT",
    "CREATE TABLE units(unit INTEGER PRIMARY KEY, parts INTEGER NOT NULL, scores BLOB NOT NULL) "
    "STRICT",
    "CREATE TABLE early_scores(number INTEGER PRIMARY KEY, scores BLOB NOT NULL) STRICT",
    "CREATE TABLE completion(only INTEGER PRIMARY KEY CHECK (only = 0), units INTEGER NOT NULL, "
    "inputs INTEGER NOT NULL, hash TEXT NOT NULL) STRICT",
};

// A unit row's key has the input's index in its upper 32 bits and the unit's index in the lower 32.
constexpr unsigned kInputShift = 32;
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << kInputShift;  // per input
constexpr std::uint64_t kMostInputs = std::uint64_t{1} << 31U;         // SQLite's keys are signed

constexpr std::uint64_t unit_key(std::uint32_t input, std::uint64_t index) {
  return std::uint64_t{input} << kInputShift | index;
}

// The most early scores that are read; a run leaves far fewer. Further frames are computed again.
constexpr std::size_t kMostEarlyScores = 1U << 22U;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 62U;

// The most bytes of text read from a table. In a crafted file many rows can share one long text.
constexpr std::size_t kMostText = 256U << 20U;

// Returns the name of SQLite's VFS for a file; null for the default. Some network file systems have
// no fcntl locks, and SQLite then locks by making a folder. Removes such a folder: the process that
// made it is dead, because run.lock keeps live processes out.
const char* choose_vfs(const std::filesystem::path& path, int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (::fcntl(fd, F_GETLK, &lock) == 0) return nullptr;
  log_info(
      "{}: its file system has no file locks ({}); a lock folder beside the file is used instead",
      path.string(), errno_text(errno));
  ::rmdir((path.string() + ".lock").c_str());  // removes no folder with files; SQLite's is empty
  return "unix-dotfile";
}

// Refuses a file with several hard links: an archive or a backup may have linked the journal to one
// of the user's files, and a write would change that file, too.
void require_single_name(const std::filesystem::path& file, const std::filesystem::path& shown) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || status.st_nlink < 2) return;
  throw write_error(shown, EMLINK);
}

// Opens the database at `path`; errors name `shown`.
SqliteDatabase open_database(const std::filesystem::path& path, int flags, ErrorKind missing,
                             const std::filesystem::path& shown) {
  require_own_journal_files(path, shown);
  UniqueFd fd = open_journal_file(path, O_RDWR | flags, missing, ErrorKind::kOutputWrite, shown);
  if ((flags & O_CREAT) == 0) {
    require_journal_header(fd.get(), shown);
    require_single_name(path, shown);
    require_single_name(log_of(path), log_of(shown));
  }
  const char* vfs = choose_vfs(path, fd.get());
  fd.reset();  // before SQLite locks the file: closing a descriptor later would drop its locks
  SqliteDatabase database(path, vfs, SqliteDatabase::Access::kReadWrite, shown);
  database.execute("PRAGMA locking_mode = EXCLUSIVE");
  database.execute("PRAGMA synchronous = NORMAL");
  return database;
}

// Opens a journal that has no log, for reading only. Without a log, the file alone has all data.
SqliteDatabase open_as_it_is(const std::filesystem::path& path) {
  require_own_journal_files(path);
  const UniqueFd fd =
      open_journal_file(path, O_RDONLY, ErrorKind::kInputMissing, ErrorKind::kInputMissing);
  require_journal_header(fd.get(), path);
  return {path, nullptr, SqliteDatabase::Access::kAsItIs};
}

FilePlace held_place(const FilePlace& place) {
  return place.folder ? place : FilePlace(Directory(place.path.parent_path()), place.name());
}

[[noreturn]] void fail_damaged(const std::filesystem::path& path, std::string why) {
  throw Error(ErrorKind::kJournalDamaged, Place{.file = path.string()}, std::move(why));
}

void check_schema(const SqliteDatabase& database) {
  if (database.integer("PRAGMA application_id") != kApplicationId) {
    fail_damaged(database.path(), "it is not a journal of this program");
  }
  const std::uint64_t version = database.integer("PRAGMA user_version");
  if (version < kOldestSchemaVersion || version > kSchemaVersion) {
    throw Error(ErrorKind::kJournalDamaged, Place{.file = database.path().string()},
                fmt::format("another version of virnucpro made it: its schema has version {}, but "
                            "this program reads only versions {} to {}",
                            version, kOldestSchemaVersion, kSchemaVersion))
        .advised(
            "Use the version that began the run. To throw its results away, start over with "
            "--force-resume or, if the input is a pipe, with --force.");
  }
  SqliteStatement rows =
      database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
  for (const std::string_view table : kSchema) {
    if (!rows.step() || rows.text(0) != table)
      fail_damaged(database.path(), "one of its tables differs from those of this program");
  }
  if (rows.step()) fail_damaged(database.path(), "it has a table that this program does not make");
}

std::uint32_t fingerprint_crc(std::string_view key, std::string_view value) {
  ByteWriter row;
  row.text(key);
  row.text(value);
  return crc32c(as_bytes(row.bytes()));
}

std::uint32_t input_crc(std::uint64_t index, const InputEntry& entry) {
  ByteWriter row;
  row.varint(index);
  row.text(entry.name);
  row.varint(entry.records);
  row.varint(entry.bytes);
  row.text(entry.hash);
  row.number(static_cast<std::uint8_t>(entry.failed ? 1 : 0));
  row.text(entry.error);
  row.text(entry.message);
  row.varint(entry.record);
  row.varint(entry.offset);
  return crc32c(as_bytes(row.bytes()));
}

InputEntry read_input(const SqliteStatement& row) {
  return {.name = row.text(1),
          .records = row.integer(2),
          .bytes = row.integer(3),
          .hash = row.text(4),
          .failed = row.integer(5) != 0,
          .error = row.text(6),
          .message = row.text(7),
          .record = row.integer(8),
          .offset = row.integer(9)};
}

}  // namespace

struct Journal::Database {
  Directory folder;  // the file's folder; SQLite opens the file through it
  SqliteDatabase sqlite;
  SqliteStatement add_unit;
  SqliteStatement add_input;
  SqliteStatement add_early;
  SqliteStatement drop_early;
  Extents extents;
  Fingerprint changed;  // fingerprint entries to write with the next change
  bool finished = false;
  std::string known_hash;  // the content hash of a finished journal
  bool scratch = false;    // true: the destructor removes the file

  Database(Directory in, SqliteDatabase database)
      : folder(std::move(in)),
        sqlite(std::move(database)),
        add_unit(sqlite.prepare("INSERT OR REPLACE INTO units VALUES (?, ?, ?)")),
        add_input(sqlite.prepare(
            "INSERT OR REPLACE INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
        add_early(sqlite.prepare("INSERT OR REPLACE INTO early_scores VALUES (?, ?)")),
        drop_early(sqlite.prepare("DELETE FROM early_scores WHERE number = ?")) {}

  ~Database() {
    // If this fails, the file stays, as after a killed run.
    if (scratch) ::unlinkat(folder.fd(), sqlite.path().filename().c_str(), 0);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[noreturn]] void fail(std::string why) const { fail_damaged(sqlite.path(), std::move(why)); }

  std::uint64_t units() const {
    std::uint64_t sum = 0;
    for (const auto& [input, extent] : extents) sum += extent.units;
    return sum;
  }

  // Decodes a row's unit. `parts` and `scores` are the row's columns.
  Unit unit_of(std::uint64_t parts, std::span<const std::byte> scores, std::uint32_t input,
               std::uint64_t index) const {
    Unit unit = decode_unit(scores, input, index, sqlite.path().string());
    if (unit.parts.size() == parts) return unit;
    fail(unit_name(input, index) + " has more or fewer sequence parts than its row says");
  }

  // Counts a row's unit. Throws if the unit before it is missing.
  void count_unit(std::uint64_t key, std::uint64_t parts) {
    const auto input = static_cast<std::uint32_t>(key >> kInputShift);
    Extent& extent = extents[input];
    if (key != unit_key(input, extent.units)) fail(unit_name(input, extent.units) + " is missing");
    ++extent.units;
    extent.parts += parts;
  }

  // Calls `visit` with the row of each unit, in order. Returns the hash of all units and inputs.
  std::string content_hash(
      const std::vector<InputEntry>& inputs,
      const std::function<void(std::uint64_t key, const SqliteStatement& row)>& visit) const {
    ContentHash hash;
    SqliteStatement rows = sqlite.prepare("SELECT unit, parts, scores FROM units ORDER BY unit");
    while (rows.step()) {
      const std::uint64_t key = rows.integer(0);
      const std::span<const std::byte> scores = rows.blob(2);
      if (visit) visit(key, rows);
      ByteWriter head;
      head.varint(key);
      head.varint(scores.size());
      hash.update(as_bytes(head.bytes()));
      hash.update(scores);
    }
    for (std::size_t index = 0; index < inputs.size(); ++index) {
      hash.update(as_bytes(bytes_of(input_crc(index, inputs[index]))));
    }
    return hash.hex();
  }

  // Reads the completion row and returns its number of units; empty if the row is missing.
  std::optional<std::uint64_t> read_completion(const std::vector<InputEntry>& inputs) {
    SqliteStatement row = sqlite.prepare("SELECT units, inputs, hash FROM completion");
    if (!row.step()) return std::nullopt;
    finished = true;
    known_hash = row.text(2);
    if (row.integer(1) != inputs.size()) {
      fail(fmt::format("it has {} inputs, but had {} when the run finished", inputs.size(),
                       row.integer(1)));
    }
    return row.integer(0);
  }

  void verify(const std::vector<InputEntry>& inputs, Check check, const Cancel& cancel) {
    const std::string now =
        content_hash(inputs, [&](std::uint64_t key, const SqliteStatement& row) {
          cancel.check();
          count_unit(key, row.integer(1));
          if (check == Check::kQuick) return;
          (void)unit_of(row.integer(1), row.blob(2), static_cast<std::uint32_t>(key >> kInputShift),
                        key % kMostUnits);
        });
    const std::optional<std::uint64_t> known = read_completion(inputs);
    if (!known) return;
    if (*known != units())
      fail(fmt::format("it has {} units, but had {} when the run finished", units(), *known));
    if (known_hash != now) fail("the hash of its units and inputs is wrong");
  }

  // Writes the waiting fingerprint entries. If `reopens`, also removes the completion row. Call it
  // before every other change.
  void write_changes(bool reopens = true);
};

Journal::Journal(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Journal::~Journal() = default;
Journal::Journal(Journal&&) noexcept = default;

namespace {

void write_fingerprint(SqliteDatabase& sqlite, const Journal::Fingerprint& fingerprint) {
  for (const auto& [key, value] : fingerprint) {
    sqlite.prepare("INSERT OR REPLACE INTO fingerprint VALUES (?, ?, ?)")
        .bind(1, std::string_view(key))
        .bind(2, std::string_view(value))
        .bind(3, std::uint64_t{fingerprint_crc(key, value)})
        .execute();
  }
}

void write_head(SqliteDatabase& sqlite, const Journal::Fingerprint& fingerprint) {
  sqlite.execute("BEGIN");
  sqlite.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  sqlite.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  for (const std::string_view table : kSchema) sqlite.execute(table);
  write_fingerprint(sqlite, fingerprint);
  sqlite.execute("COMMIT");
}

}  // namespace

// Builds the journal under a temporary name, so that a killed process leaves no run.db that looks
// damaged. Sets WAL mode before the file gets its final name: a later change of mode would make a
// rollback journal for a moment, and no run may leave one (journal_files.hpp).
Journal Journal::create(const FilePlace& place, const Fingerprint& fingerprint) {
  const FilePlace held = held_place(place);
  const Directory& folder = *held.folder;
  const std::filesystem::path& path = held.path;
  require_own_journal_files(path);
  if (folder.kind_of(held.name()) != EntryKind::kNone) {
    throw Error(ErrorKind::kOutputWrite, Place{.file = path.string()}, "it exists already");
  }
  const FilePlace partial(folder, AtomicFile::partial_name(held.name()));
  folder.remove_leftover(partial.name());
  {
    SqliteDatabase sqlite =
        open_database(reachable(partial), O_CREAT | O_EXCL, ErrorKind::kOutputWrite, partial.path);
    sqlite.execute("PRAGMA journal_mode = MEMORY");  // no rollback file: a broken file is rebuilt
    write_head(sqlite, fingerprint);
    sqlite.execute("PRAGMA journal_mode = WAL");  // makes no log before the next change
  }
  const int error = folder.rename(partial.name(), held.name());
  if (error != 0) throw write_error(path, error);
  folder.sync();
  return Journal(std::make_unique<Database>(
      folder, open_database(reachable(held), 0, ErrorKind::kOutputWrite, path)));
}

Journal Journal::create_scratch(const FilePlace& place, const Fingerprint& fingerprint) {
  const FilePlace held = held_place(place);
  held.folder->remove_leftover(held.name());
  SqliteDatabase sqlite =
      open_database(reachable(held), O_CREAT | O_EXCL, ErrorKind::kOutputWrite, held.path);
  try {
    sqlite.execute("PRAGMA journal_mode = MEMORY");
    sqlite.execute("PRAGMA synchronous = OFF");
    write_head(sqlite, fingerprint);
  } catch (const Error&) {
    held.folder->remove_leftover(held.name());
    throw;
  }
  Journal journal(std::make_unique<Database>(*held.folder, std::move(sqlite)));
  journal.database_->scratch = true;
  return journal;
}

Journal Journal::create_aside(const FilePlace& place, const Fingerprint& fingerprint) {
  const FilePlace held = held_place(place);
  return create_scratch({*held.folder, AtomicFile::partial_name(held.name())}, fingerprint);
}

Journal Journal::open(const FilePlace& place, Check check, const Cancel& cancel) {
  const FilePlace held = held_place(place);
  const bool was_killed = has_log(held.path);
  SqliteDatabase sqlite = open_database(reachable(held), 0, ErrorKind::kJournalDamaged, held.path);
  // The log of a killed run stays until the first change, so that a refused run changes no file.
  sqlite.keep_log(was_killed);
  check_schema(sqlite);
  // The file is writable, so only a field in its header can make the database read-only.
  if (sqlite.is_read_only())
    fail_damaged(held.path, "its header says that only a newer SQLite may write to it");
  return opened(*held.folder, std::move(sqlite), check, cancel);
}

Journal Journal::open_to_read(const std::filesystem::path& path, Check check, const Cancel& cancel,
                              const std::optional<std::filesystem::path>& copy) {
  SqliteDatabase sqlite =
      copy ? open_database(*copy, 0, ErrorKind::kJournalDamaged, path) : open_as_it_is(path);
  sqlite.keep_log(true);
  check_schema(sqlite);
  return opened(Directory(path.parent_path()), std::move(sqlite), check, cancel);
}

Journal Journal::opened(const Directory& folder, SqliteDatabase sqlite, Check check,
                        const Cancel& cancel) {
  Journal journal(std::make_unique<Database>(folder, std::move(sqlite)));
  (void)journal.fingerprint();
  if (check == Check::kHead) {
    journal.database_->read_completion(journal.inputs());
  } else {
    journal.database_->verify(journal.inputs(), check, cancel);
  }
  return journal;
}

Journal::Fingerprint Journal::fingerprint() const {
  Fingerprint fingerprint;
  std::size_t text = 0;
  SqliteStatement rows =
      database_->sqlite.prepare("SELECT key, value, crc FROM fingerprint ORDER BY key");
  while (rows.step()) {
    std::string key = rows.text(0);
    std::string value = rows.text(1);
    if (rows.integer(2) != fingerprint_crc(key, value)) {
      database_->fail("an entry of its fingerprint (the run's settings) has a wrong checksum");
    }
    // In a crafted file the pages of the rows may form a circle, which repeats rows without end.
    if (!fingerprint.empty() && key <= fingerprint.rbegin()->first) {
      database_->fail("the entries of its fingerprint (the run's settings) are out of order");
    }
    if (const std::string_view why = why_no_entry(key, value); !why.empty()) {
      database_->fail(fmt::format("its fingerprint's entry {} is impossible: {}", key, why));
    }
    text += key.size() + value.size();
    if (text > kMostText) {
      database_->fail(fmt::format("its fingerprint (the run's settings) has more than {} MiB",
                                  kMostText >> 20U));
    }
    fingerprint.emplace_hint(fingerprint.end(), std::move(key), std::move(value));
  }
  return fingerprint;
}

// Writes the changed entries in one transaction. If `reopens` is false, the transaction keeps the
// mark of a finished journal, so the journal is finished at every moment, even after a kill.
void Journal::Database::write_changes(bool reopens) {
  sqlite.keep_log(false);
  if (changed.empty() && !(reopens && finished)) return;
  SqliteTransaction change(sqlite);
  if (reopens) sqlite.execute("DELETE FROM completion");
  write_fingerprint(sqlite, changed);
  change.commit();
  changed.clear();
  if (!reopens) return;
  finished = false;
  known_hash.clear();
}

void Journal::describe(const Fingerprint& entries) {
  for (const auto& [key, value] : entries) database_->changed.insert_or_assign(key, value);
}

void Journal::append(const Unit& unit) {
  Database& database = *database_;
  Extent& extent = database.extents[unit.input];
  if (unit.index > extent.units || unit.index >= kMostUnits || unit.input >= kMostInputs) {
    throw Error(ErrorKind::kInternal, fmt::format("{} came to the journal where {} must follow",
                                                  unit_name(unit.input, unit.index),
                                                  unit_name(unit.input, extent.units)));
  }
  database.write_changes();
  const std::uint64_t parts = unit.parts.size();
  database.add_unit.bind(1, unit_key(unit.input, unit.index))
      .bind(2, parts)
      .bind_blob(3, encode_unit(unit))
      .execute();
  if (unit.index < extent.units) return;
  ++extent.units;
  extent.parts += parts;
}

void Journal::cut_units(std::uint32_t input, std::uint64_t units) {
  Database& database = *database_;
  Extent& extent = database.extents[input];
  if (units >= extent.units) return;
  database.write_changes();
  database.sqlite.prepare("DELETE FROM units WHERE unit >= ? AND unit < ?")
      .bind(1, unit_key(input, units))
      .bind(2, unit_key(input, extent.units))
      .execute();
  extent.units = units;
}

void Journal::keep_early(std::uint64_t row, std::span<const EarlyScore> scores) {
  database_->write_changes();
  database_->add_early.bind(1, row).bind_blob(2, encode_early_scores(scores)).execute();
}

void Journal::drop_early(std::uint64_t row) {
  database_->drop_early.bind(1, row).execute();
}

void Journal::record_input(std::uint32_t index, const InputEntry& entry) {
  database_->write_changes();
  database_->add_input.bind(1, std::uint64_t{index})
      .bind(2, std::string_view(entry.name))
      .bind(3, entry.records)
      .bind(4, entry.bytes)
      .bind(5, std::string_view(entry.hash))
      .bind(6, std::uint64_t{entry.failed})
      .bind(7, std::string_view(entry.error))
      .bind(8, std::string_view(entry.message))
      .bind(9, entry.record)
      .bind(10, entry.offset)
      .bind(11, std::uint64_t{input_crc(index, entry)})
      .execute();
}

void Journal::finish() {
  Database& database = *database_;
  if (database.finished && database.changed.empty()) return database.sqlite.keep_log(false);
  if (database.finished) {
    database.write_changes(false);
  } else {
    database.write_changes();
    const std::vector<InputEntry> inputs = this->inputs();
    database.known_hash = database.content_hash(inputs, {});
    database.sqlite.execute("DELETE FROM early_scores");
    database.sqlite.prepare("INSERT INTO completion VALUES (0, ?, ?, ?)")
        .bind(1, database.units())
        .bind(2, std::uint64_t{inputs.size()})
        .bind(3, std::string_view(database.known_hash))
        .execute();
    database.finished = true;
  }
  if (database.scratch) return;
  // Copies the log into the database and syncs it. The result is 0 if nothing blocked this.
  if (database.sqlite.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0) {
    log_warning(
        "{0}: another program has this file open, so the last changes stay in {0}-wal: keep both "
        "files",
        path().string());
  }
  if (database.sqlite.was_moved()) {
    log_warning(
        "{}: this file was removed or replaced during the run; export and merge cannot use the run",
        path().string());
  }
}

// Sets WAL mode before the file gets its final name, as create() does.
void Journal::publish() {
  finish();
  database_->sqlite.execute("PRAGMA synchronous = FULL");
  database_->sqlite.execute("PRAGMA journal_mode = WAL");
  const Directory folder = database_->folder;
  const std::filesystem::path partial = database_->sqlite.path();
  const std::string name(complete_name(partial.filename().string()));
  database_->scratch = false;
  database_.reset();
  const UniqueFd file = folder.open_file(partial.filename().string());
  if (file.get() < 0 || ::fsync(file.get()) != 0) throw write_error(partial, errno);
  const int error = folder.rename(partial.filename().string(), name);
  if (error != 0) throw write_error(folder.path() / name, error);
  folder.sync();
}

const std::filesystem::path& Journal::path() const {
  return database_->sqlite.path();
}

bool Journal::finished() const {
  return database_->finished;
}

const std::string& Journal::content_hash() const {
  return database_->known_hash;
}

std::uint64_t Journal::units() const {
  return database_->units();
}

const Journal::Extents& Journal::extents() const {
  return database_->extents;
}

std::vector<EarlyScore> Journal::early_scores() const {
  std::vector<EarlyScore> scores;
  SqliteStatement rows =
      database_->sqlite.prepare("SELECT number, scores FROM early_scores ORDER BY number");
  std::uint64_t next = 0;
  while (scores.size() < kMostEarlyScores && rows.step()) {
    const std::uint64_t number = rows.integer(0);
    if (number < next || number >= kMostRows) database_->fail("its early scores are out of order");
    next = number + 1;
    const auto decoded = decode_early_scores(rows.blob(1));
    if (decoded) scores.insert(scores.end(), decoded->begin(), decoded->end());
  }
  return scores;
}

std::uint64_t Journal::next_early_row() const {
  return database_->sqlite.integer("SELECT coalesce(max(number) + 1, 0) FROM early_scores");
}

std::vector<InputEntry> Journal::inputs() const {
  std::vector<InputEntry> inputs;
  std::size_t text = 0;
  SqliteStatement rows = database_->sqlite.prepare(
      "SELECT input, name, records, bytes, hash, failed, error, message, record, offset, crc "
      "FROM inputs ORDER BY input");
  while (rows.step()) {
    if (rows.integer(0) != inputs.size()) {
      database_->fail(fmt::format("its row of input {} is missing", inputs.size() + 1));
    }
    const InputEntry& input = inputs.emplace_back(read_input(rows));
    text += input.name.size() + input.hash.size() + input.error.size() + input.message.size();
    if (text > kMostText) {
      database_->fail(
          fmt::format("its table of inputs has more than {} MiB of names, hashes and messages",
                      kMostText >> 20U));
    }
    if (rows.integer(10) != input_crc(inputs.size() - 1, inputs.back())) {
      database_->fail(fmt::format("its row of input {} has a wrong checksum", inputs.size()));
    }
  }
  return inputs;
}

struct Journal::Reader::State {
  const Database& database;
  SqliteStatement find;     // finds one row, then is reset: an open statement blocks checkpoints
  Extents extents;          // the units not read yet
  std::uint64_t given = 0;  // how many units of the first input in `extents` were read
};

Journal::Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Reader::~Reader() = default;
Journal::Reader::Reader(Reader&&) noexcept = default;

std::optional<Unit> Journal::Reader::next() {
  State& state = *state_;
  while (!state.extents.empty() && state.given == state.extents.begin()->second.units) {
    state.extents.erase(state.extents.begin());
    state.given = 0;
  }
  if (state.extents.empty()) return std::nullopt;
  const std::uint32_t input = state.extents.begin()->first;
  const std::uint64_t index = state.given++;
  state.find.bind(1, unit_key(input, index));
  if (!state.find.step()) state.database.fail(unit_name(input, index) + " is missing");
  Unit unit = state.database.unit_of(state.find.integer(0), state.find.blob(1), input, index);
  state.find.reset();
  return unit;
}

Journal::Reader Journal::read() const {
  return read(database_->extents);
}

Journal::Reader Journal::read(Extents extents) const {
  const Database& database = *database_;
  return Reader(std::make_unique<Reader::State>(Reader::State{
      .database = database,
      .find = database.sqlite.prepare("SELECT parts, scores FROM units WHERE unit = ?"),
      .extents = std::move(extents)}));
}

Journal::Extents only(std::uint32_t input, const Journal::Extents& extents) {
  const auto found = extents.find(input);
  return found == extents.end() ? Journal::Extents() : Journal::Extents{*found};
}

void Journal::for_each_unit(const std::function<void(const Unit&)>& visit) const {
  Reader reader = read();
  while (const std::optional<Unit> unit = reader.next()) visit(*unit);
}

std::optional<SequencePart> PartReader::next() {
  while (!unit_ || next_part_ == unit_->parts.size()) {
    unit_ = reader_.next();
    next_part_ = 0;
    if (!unit_) return std::nullopt;
  }
  return std::move(unit_->parts[next_part_++]);
}

std::string entry_of(const Journal::Fingerprint& print, const std::string& key) {
  const auto found = print.find(key);
  return found == print.end() ? "" : found->second;
}

}  // namespace virnucpro
