#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/error.hpp"
#include "journal/unit.hpp"

namespace virnucpro {

class SqliteDatabase;

// The application id in a journal's file, "vNPR".
inline constexpr std::uint64_t kApplicationId = 0x764e5052;

// The table that every version of the schema has.
inline constexpr std::string_view kFingerprintTable =
    "CREATE TABLE fingerprint(key TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL) "
    "STRICT, WITHOUT ROWID";

// An input that was read to its end or failed.
struct InputEntry {
  std::string name{};         // as the user gave it
  std::uint64_t records = 0;  // sequences read
  std::uint64_t bytes = 0;    // of decompressed text
  std::string hash{};         // XXH3-128 of that text
  bool failed = false;        // if so, none of its sequences is in any table
  std::string error{};        // the error's name in the table of errors
  std::string message{};      // the error's whole sentence
  std::uint64_t record = 0;   // the record that failed
  std::uint64_t offset = 0;
};

// The run's record on disk, run.db, from which tables are made and a run is resumed. It is SQLite
// in WAL mode with exclusive locking: that needs no shared-memory file, so it works on network file
// systems. Each unit is one row: a BLOB of its scores with a CRC-32C (unit_blob.hpp), because
// SQLite's own integrity check misses flipped bits in rows. The other rows carry a CRC-32C, too.
// finish() writes the completion row: the number and hash of units and inputs, so that lost rows
// are noticed. A journal without this row belongs to an interrupted run and is valid up to its last
// unit. A unit belongs to one input, so an input that could not be read can be added later, at its
// place. The first change to a finished journal removes the completion row.
//
// When append() returns, the kernel has the unit, so it is safe even if a signal ends the process.
// A power cut may lose the last units (they are synced at every checkpoint of the WAL and by
// finish()), but never the order or wholeness of earlier units.
//
// The journal's folder is held open, so a folder put in its place later has no effect.
//
// One thread at a time may append; meanwhile another may use inputs() and readers of given extents.
// Errors: kOutputWrite (disk full, I/O), kJournalDamaged, kOutputBusy.
class Journal {
 public:
  // The settings that two runs must share to count as the same run: "chunk_size" → "500", …
  using Fingerprint = std::map<std::string, std::string>;

  // The check when a journal is opened. kDeep reads every row. kQuick counts and hashes the units
  // and finds gaps between them; a unit itself is checked when it is read. kHead reads only the
  // fingerprint, the inputs and the completion row, so no extents are known.
  enum class Check : std::uint8_t { kDeep, kQuick, kHead };

  // Makes a new journal, which gets its name once its fingerprint is written. Errors: kOutputWrite,
  // also when the file exists already.
  static Journal create(const FilePlace& place, const Fingerprint& fingerprint);
  // Makes a journal that no other run will read: nothing is synced, and the destructor removes it.
  static Journal create_scratch(const FilePlace& place, const Fingerprint& fingerprint);
  // Makes a new journal that gets its name in publish(). Nothing is synced before, and the
  // destructor removes an unpublished journal; a killed process leaves an incomplete file.
  static Journal create_aside(const FilePlace& place, const Fingerprint& fingerprint);
  // Opens a journal; kDeep checks every row, so that callers can trust the content. An interrupted
  // run's journal can be appended to. Errors: kJournalDamaged; those of Cancel.
  static Journal open(const FilePlace& place, Check check = Check::kDeep,
                      const Cancel& cancel = Cancel());
  // Opens a journal for commands that only read: nothing in its directory changes. If it has a log,
  // `copy` names a private copy of both files, which is read instead; errors name `path`. No run
  // may be writing to the journal. Errors: kInputMissing, kJournalDamaged; those of Cancel.
  static Journal open_to_read(const std::filesystem::path& path, Check check, const Cancel& cancel,
                              const std::optional<std::filesystem::path>& copy = std::nullopt);
  ~Journal();
  Journal(Journal&&) noexcept;

  Fingerprint fingerprint() const;
  // Replaces the entries of the same keys at the next change or in finish(), so that a refused run
  // changes nothing.
  void describe(const Fingerprint& entries);
  // Adds the next unit of its input, or replaces an earlier unit. Errors: kInternal for any other.
  void append(const Unit& unit);
  // Keeps only the first `units` units of an input.
  void cut_units(std::uint32_t input, std::uint64_t units);
  // Adds or replaces an input's entry. At the end the indexes must be 0, 1, 2 … without a gap.
  void record_input(std::uint32_t index, const InputEntry& entry);
  // These add and remove early scores (early_scores.hpp); finish() removes all.
  void keep_early(std::uint64_t row, std::span<const EarlyScore> scores);
  void drop_early(std::uint64_t row);
  // Marks the run as finished. Warns if the file was removed or replaced meanwhile: the tables can
  // still be written.
  void finish();
  // Finishes a journal made by create_aside() and gives it its name. The journal cannot be used
  // afterwards.
  void publish();

  const std::filesystem::path& path() const;
  bool finished() const;
  // Returns a finished journal's hash of all units and inputs; else empty.
  const std::string& content_hash() const;
  std::uint64_t units() const;  // of all inputs

  // The number of an input's units, and of the parts in these units.
  struct Extent {
    std::uint64_t units = 0;
    std::uint64_t parts = 0;
  };
  // Extents by input; an input without units may be missing.
  using Extents = std::map<std::uint32_t, Extent>;
  const Extents& extents() const;  // no other thread may append meanwhile
  std::vector<InputEntry> inputs() const;
  // These return the undamaged early scores, and the number of the first row after all early
  // scores.
  std::vector<EarlyScore> early_scores() const;
  std::uint64_t next_early_row() const;
  // True if the journal has any score.
  bool has_scores() const { return units() > 0 || next_early_row() > 0; }
  // Visits every unit by input and index, one in memory at a time. Errors: kJournalDamaged.
  void for_each_unit(const std::function<void(const Unit&)>& visit) const;

  // Reads, one after the other, the units that existed when the reader was made.
  class Reader {
   public:
    ~Reader();
    Reader(Reader&&) noexcept;
    std::optional<Unit> next();  // Errors: kJournalDamaged

   private:
    friend class Journal;
    struct State;
    explicit Reader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  Reader read() const;
  // Reads the units within `extents`. Another thread may append meanwhile.
  Reader read(Extents extents) const;

 private:
  struct Database;
  explicit Journal(std::unique_ptr<Database> database);
  static Journal opened(const Directory& folder, SqliteDatabase sqlite, Check check,
                        const Cancel& cancel);
  std::unique_ptr<Database> database_;
};

// Returns the extent of one input alone.
Journal::Extents only(std::uint32_t input, const Journal::Extents& extents);

// Reads the parts of a journal's sequences one after the other, across units.
class PartReader {
 public:
  // The journal must outlive the reader.
  explicit PartReader(const Journal& journal) : reader_(journal.read()) {}
  // Reads the parts of one input.
  PartReader(const Journal& journal, std::uint32_t input)
      : reader_(journal.read(only(input, journal.extents()))) {}

  std::optional<SequencePart> next();  // Errors: kJournalDamaged

 private:
  Journal::Reader reader_;
  std::optional<Unit> unit_;
  std::size_t next_part_ = 0;  // index into the unit's parts
};

// Returns an entry of a fingerprint; empty if there is none.
std::string entry_of(const Journal::Fingerprint& print, const std::string& key);

}  // namespace virnucpro
