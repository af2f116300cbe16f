#include "journal/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "journal/sqlite.hpp"
#include "journal/unit_blob.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kSchemaVersion = 2;

// In the order of creation; open() requires the same texts in the file.
constexpr std::array<std::string_view, 4> kSchema{
    "CREATE TABLE fingerprint(key TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL) "
    "STRICT, WITHOUT ROWID",
    "CREATE TABLE inputs(input INTEGER PRIMARY KEY, name TEXT NOT NULL, records INTEGER NOT NULL, "
    "bytes INTEGER NOT NULL, hash TEXT NOT NULL, failed INTEGER NOT NULL, error TEXT NOT NULL, "
    "message TEXT NOT NULL, record INTEGER NOT NULL, offset INTEGER NOT NULL, crc INTEGER NOT "
    "NULL) "
    "STRICT",
    "CREATE TABLE units(unit INTEGER PRIMARY KEY, parts INTEGER NOT NULL, scores BLOB NOT NULL) "
    "STRICT",
    "CREATE TABLE completion(only INTEGER PRIMARY KEY CHECK (only = 0), units INTEGER NOT NULL, "
    "inputs INTEGER NOT NULL, hash TEXT NOT NULL) STRICT",
};

constexpr std::string_view kSelectUnits = "SELECT unit, parts, scores FROM units ORDER BY unit";

// Some network file systems lack advisory fcntl locks. There SQLite locks with a folder beside the
// file. One left by a dead process can be ignored, as run.lock already keeps live processes apart.
const char* choose_vfs(const std::filesystem::path& path, int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (::fcntl(fd, F_GETLK, &lock) == 0) return nullptr;
  log_info("{}: no file locks here ({}); using a lock folder beside it", path.string(),
           errno_text(errno));
  ::rmdir((path.string() + ".lock").c_str());  // SQLite's is empty; another one is not its
  return "unix-dotfile";
}

// Errors name `shown`.
SqliteDatabase open_database(const std::filesystem::path& path, int flags, ErrorKind missing,
                             const std::filesystem::path& shown) {
  constexpr int kAlways = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  UniqueFd fd(::open(path.c_str(), kAlways | flags, 0666));
  if (fd.get() < 0) {
    const ErrorKind kind = errno == ENOENT ? missing : ErrorKind::kOutputWrite;
    throw Error(kind, Place{.file = shown.string()}, errno_text(errno));
  }
  const char* vfs = choose_vfs(path, fd.get());
  fd.reset();  // before SQLite locks the file: closing any descriptor of it drops fcntl locks
  SqliteDatabase database(path, vfs, shown);
  database.execute("PRAGMA locking_mode = EXCLUSIVE");
  database.execute("PRAGMA trusted_schema = OFF");
  database.execute("PRAGMA cell_size_check = ON");
  database.execute("PRAGMA synchronous = NORMAL");
  return database;
}

// The same place, in an open folder.
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
  if (version != kSchemaVersion) {
    fail_damaged(database.path(), fmt::format("its schema is version {}, this program writes {}",
                                              version, kSchemaVersion));
  }
  SqliteStatement rows =
      database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
  for (const std::string_view table : kSchema) {
    if (!rows.step() || rows.text(0) != table) fail_damaged(database.path(), "a table is broken");
  }
  if (rows.step()) fail_damaged(database.path(), "it holds a table that is not known");
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
  Directory folder;  // of the file, which SQLite reaches through it
  SqliteDatabase sqlite;
  SqliteStatement add_unit;
  SqliteStatement add_input;
  ContentHash hash;  // of the units so far
  std::uint64_t units = 0;
  std::uint64_t parts = 0;
  bool finished = false;
  bool scratch = false;  // then the destructor removes its file

  Database(Directory in, SqliteDatabase database)
      : folder(std::move(in)),
        sqlite(std::move(database)),
        add_unit(sqlite.prepare("INSERT INTO units VALUES (?, ?, ?)")),
        add_input(sqlite.prepare(
            "INSERT OR REPLACE INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {}

  ~Database() {
    // A file in this place counts as a leftover.
    if (scratch) ::unlinkat(folder.fd(), sqlite.path().filename().c_str(), 0);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[noreturn]] void fail(std::string why) const { fail_damaged(sqlite.path(), std::move(why)); }

  void count_unit(std::uint64_t unit_parts, std::span<const std::byte> blob) {
    ByteWriter head;
    head.varint(units);
    head.varint(blob.size());
    hash.update(as_bytes(head.bytes()));
    hash.update(blob);
    ++units;
    parts += unit_parts;
  }

  void require_number(const SqliteStatement& row, std::uint64_t expected) const {
    if (row.integer(0) != expected) fail(fmt::format("unit {} is missing", expected));
  }

  // The unit in a row, which must have number `expected`.
  Unit unit_at(const SqliteStatement& row, std::uint64_t expected) const {
    require_number(row, expected);
    Unit unit = decode_unit(row.blob(2), expected, sqlite.path().string());
    if (unit.parts.size() != row.integer(1)) {
      fail(fmt::format("unit {} has another number of parts than its row says", expected));
    }
    return unit;
  }

  // The hash of everything that the tables depend on; uses up `hash`.
  std::string complete_hash(const std::vector<InputEntry>& inputs) {
    for (std::size_t index = 0; index < inputs.size(); ++index) {
      hash.update(as_bytes(bytes_of(input_crc(index, inputs[index]))));
    }
    return hash.hex();
  }

  void verify(const std::vector<InputEntry>& inputs, Check check, const Cancel& cancel) {
    SqliteStatement rows = sqlite.prepare(kSelectUnits);
    while (rows.step()) {
      cancel.check();
      require_number(rows, units);
      if (check == Check::kDeep) (void)unit_at(rows, units);
      count_unit(rows.integer(1), rows.blob(2));
    }
    SqliteStatement row = sqlite.prepare("SELECT units, inputs, hash FROM completion");
    if (!row.step()) return;
    finished = true;
    if (row.integer(0) != units) {
      fail(fmt::format("{} units are there of {}", units, row.integer(0)));
    }
    if (row.integer(1) != inputs.size()) {
      fail(fmt::format("{} inputs are there of {}", inputs.size(), row.integer(1)));
    }
    if (row.text(2) != complete_hash(inputs)) fail("the hash of its units does not fit");
  }
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

// If the process dies meanwhile, no journal that looks damaged may remain. It is in WAL mode when
// it gets its name: changing the mode later needs a rollback journal beside it for a moment.
Journal Journal::create(const FilePlace& place, const Fingerprint& fingerprint) {
  const FilePlace held = held_place(place);
  const Directory& folder = *held.folder;
  const std::filesystem::path& path = held.path;
  if (folder.kind_of(held.name()) != EntryKind::kNone) {
    throw Error(ErrorKind::kOutputWrite, Place{.file = path.string()}, "it is there already");
  }
  const FilePlace partial(folder, AtomicFile::partial_name(held.name()));
  folder.remove_leftover(partial.name());
  {
    SqliteDatabase sqlite =
        open_database(reachable(partial), O_CREAT | O_EXCL, ErrorKind::kOutputWrite, partial.path);
    sqlite.execute("PRAGMA journal_mode = MEMORY");  // on failure it is removed, not rolled back
    write_head(sqlite, fingerprint);
    sqlite.execute("PRAGMA journal_mode = WAL");  // makes no log as long as nothing follows it
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
  sqlite.execute("PRAGMA journal_mode = OFF");
  sqlite.execute("PRAGMA synchronous = OFF");
  write_head(sqlite, fingerprint);
  Journal journal(std::make_unique<Database>(*held.folder, std::move(sqlite)));
  journal.database_->scratch = true;
  return journal;
}

Journal Journal::open(const FilePlace& place, Check check, const Cancel& cancel) {
  const FilePlace held = held_place(place);
  SqliteDatabase sqlite = open_database(reachable(held), 0, ErrorKind::kJournalDamaged, held.path);
  check_schema(sqlite);
  // The file was opened for writing, so the reason is in its header.
  if (sqlite.is_read_only()) fail_damaged(held.path, "it says that it cannot be written to");
  sqlite.execute("PRAGMA journal_mode = WAL");  // an older journal may not have it yet
  Journal journal(std::make_unique<Database>(*held.folder, std::move(sqlite)));
  (void)journal.fingerprint();
  journal.database_->verify(journal.inputs(), check, cancel);
  return journal;
}

Journal::Fingerprint Journal::fingerprint() const {
  Fingerprint fingerprint;
  SqliteStatement rows = database_->sqlite.prepare("SELECT key, value, crc FROM fingerprint");
  while (rows.step()) {
    std::string key = rows.text(0);
    std::string value = rows.text(1);
    if (rows.integer(2) != fingerprint_crc(key, value)) {
      database_->fail("the checksum of its fingerprint does not fit");
    }
    fingerprint.emplace(std::move(key), std::move(value));
  }
  return fingerprint;
}

void Journal::describe(const Fingerprint& entries) {
  SqliteDatabase& sqlite = database_->sqlite;
  sqlite.execute("BEGIN");
  write_fingerprint(sqlite, entries);
  sqlite.execute("COMMIT");
}

void Journal::append(const Unit& unit) {
  Database& database = *database_;
  if (database.finished || unit.index != database.units) {
    throw Error(ErrorKind::kInternal, fmt::format("unit {} came where {} belongs in the journal",
                                                  unit.index, database.units));
  }
  const std::string blob = encode_unit(unit);
  const std::uint64_t parts = unit.parts.size();
  database.add_unit.bind(1, unit.index).bind(2, parts).bind_blob(3, blob).execute();
  database.count_unit(parts, as_bytes(blob));
}

void Journal::record_input(std::uint32_t index, const InputEntry& entry) {
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
  const std::vector<InputEntry> inputs = this->inputs();
  database.finished = true;
  database.sqlite.prepare("INSERT INTO completion VALUES (0, ?, ?, ?)")
      .bind(1, database.units)
      .bind(2, std::uint64_t{inputs.size()})
      .bind(3, std::string_view(database.complete_hash(inputs)))
      .execute();
  if (database.scratch) return;
  // Syncs the database itself; returns whether something blocked it.
  if (database.sqlite.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0) {
    log_warning("{}: busy: what was written last stays in the log beside it", path().string());
  }
  if (database.sqlite.was_moved()) {
    log_warning("{}: it was removed or replaced while the run was on: no journal of it is kept",
                path().string());
  }
}

const std::filesystem::path& Journal::path() const {
  return database_->sqlite.path();
}

bool Journal::finished() const {
  return database_->finished;
}

std::uint64_t Journal::units() const {
  return database_->units;
}

std::uint64_t Journal::parts() const {
  return database_->parts;
}

std::vector<InputEntry> Journal::inputs() const {
  std::vector<InputEntry> inputs;
  SqliteStatement rows = database_->sqlite.prepare(
      "SELECT input, name, records, bytes, hash, failed, error, message, record, offset, crc "
      "FROM inputs ORDER BY input");
  while (rows.step()) {
    if (rows.integer(0) != inputs.size()) {
      database_->fail(fmt::format("input {} is missing", inputs.size()));
    }
    inputs.push_back(read_input(rows));
    if (rows.integer(10) != input_crc(inputs.size() - 1, inputs.back())) {
      database_->fail(fmt::format("input {}: its checksum does not fit", inputs.size() - 1));
    }
  }
  return inputs;
}

struct Journal::Reader::State {
  const Database& database;
  std::optional<SqliteStatement> rows;  // until the last unit: an open one blocks the WAL
  std::uint64_t end;                    // number of units when the reader was made
  std::uint64_t given = 0;
};

Journal::Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Reader::~Reader() = default;
Journal::Reader::Reader(Reader&&) noexcept = default;

std::optional<Unit> Journal::Reader::next() {
  State& state = *state_;
  if (state.given == state.end) return std::nullopt;
  if (!state.rows->step()) {
    state.database.fail(fmt::format("{} units are there of {}", state.given, state.end));
  }
  Unit unit = state.database.unit_at(*state.rows, state.given);
  if (++state.given == state.end) state.rows.reset();
  return unit;
}

Journal::Reader Journal::read() const {
  return Reader(
      std::make_unique<Reader::State>(Reader::State{.database = *database_,
                                                    .rows = database_->sqlite.prepare(kSelectUnits),
                                                    .end = database_->units}));
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

}  // namespace virnucpro
