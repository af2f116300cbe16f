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

// SQLite's application id of a journal: "vNPR" in ASCII.
inline constexpr std::uint64_t kApplicationId = 0x764e5052;

// The table that every version of the schema has.
inline constexpr std::string_view kFingerprintTable =
    "CREATE TABLE fingerprint(key TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL) "
    "STRICT, WITHOUT ROWID";

// An input that was read to its end or failed.
struct InputEntry {
  std::string name{};         // as the user gave it
  std::uint64_t records = 0;  // sequences read
  std::uint64_t bytes = 0;    // size of the decompressed text
  std::string hash{};         // XXH3-128 of the decompressed text
  bool failed = false;        // true: no table has its sequences
  std::string error{};        // the error's name in base/error.cpp
  std::string message{};      // the error's full text
  std::uint64_t record = 0;   // number of the bad record; 0 if unknown
  std::uint64_t offset = 0;
};

// The file run.db, which has a run's scores. Tables are made from this file, and a killed run is
// resumed from it. The file is an SQLite database in WAL mode with exclusive locking. SQLite then
// needs no shared memory, which does not work on network file systems. Each unit is one row: a BLOB
// of scores with a CRC-32C (unit_blob.hpp). SQLite's own check misses flipped bits in rows, so the
// rows of inputs, early scores and fingerprint have a CRC-32C, too. finish() writes the completion
// row: the numbers of units and inputs, and a hash of both, so that open() notices lost rows. A
// journal without a completion row belongs to an interrupted run and is valid up to its last unit.
// The first change of scores or inputs in a finished journal removes the completion row. A unit
// belongs to one input, so a failed input can be added later, in input order.
//
// When append() returns, the kernel has the unit, so a killed process does not lose it. A power cut
// may lose the last units, because only finish() and checkpoints of the WAL sync the file. Earlier
// units stay complete and in order.
//
// The object keeps the journal's folder open, so a later replacement of the folder has no effect.
//
// One thread at a time may change the journal. Meanwhile another thread may call inputs() and use
// the readers from read(extents).
class Journal {
 public:
  // A run's settings and models as text: "chunk_size" → "500", … To resume a run, the entries that
  // affect scores must be equal (run_fingerprint.hpp).
  using Fingerprint = std::map<std::string, std::string>;

  // The checks of open(). kDeep decodes every unit. kQuick counts and hashes the units and finds
  // missing units; a unit is decoded when it is read. kHead reads only the fingerprint, the inputs
  // and the completion row, so extents() is empty.
  enum class Check : std::uint8_t { kDeep, kQuick, kHead };

  // Makes a new journal. The file gets its final name when the fingerprint is written. Errors:
  // kOutputWrite, also if the file exists.
  static Journal create(const FilePlace& place, const Fingerprint& fingerprint);
  // Makes a temporary journal. Nothing is synced, and the destructor removes the file.
  static Journal create_scratch(const FilePlace& place, const Fingerprint& fingerprint);
  // Makes a new journal whose file gets its final name in publish(). Until then nothing is synced,
  // and the destructor removes the file. A killed process leaves it under a temporary name.
  static Journal create_aside(const FilePlace& place, const Fingerprint& fingerprint);
  // Opens a journal to read and change it. Errors: kJournalDamaged; those of Cancel.
  static Journal open(const FilePlace& place, Check check = Check::kDeep,
                      const Cancel& cancel = Cancel());
  // Opens a journal for commands that only read: nothing in its directory changes. If the journal
  // has a log, `copy` must name a private copy of journal and log; SQLite opens the copy, and
  // errors name `path`. No run may write to the journal meanwhile. Errors: kInputMissing,
  // kJournalDamaged; those of Cancel.
  static Journal open_to_read(const std::filesystem::path& path, Check check, const Cancel& cancel,
                              const std::optional<std::filesystem::path>& copy = std::nullopt);
  ~Journal();
  Journal(Journal&&) noexcept;

  Fingerprint fingerprint() const;
  // Sets entries of the fingerprint, which are written with the next change or in finish(), so that
  // a refused run changes nothing.
  void describe(const Fingerprint& entries);
  // Adds the next unit of its input, or replaces an earlier unit. Errors: kInternal for any other
  // index.
  void append(const Unit& unit);
  // Removes the units of an input from index `units` on.
  void cut_units(std::uint32_t input, std::uint64_t units);
  // Adds or replaces an input's entry. In finish(), the indexes must be 0, 1, 2 … without a gap.
  void record_input(std::uint32_t index, const InputEntry& entry);
  // These add and remove a row of early scores (early_scores.hpp). finish() removes all such rows.
  void keep_early(std::uint64_t row, std::span<const EarlyScore> scores);
  void drop_early(std::uint64_t row);
  // Marks the run as finished. If the file was removed or replaced meanwhile, only warns, because
  // the tables can still be written.
  void finish();
  // Finishes a journal made by create_aside() and gives the file its final name. The journal cannot
  // be used afterwards.
  void publish();

  const std::filesystem::path& path() const;
  bool finished() const;
  // Returns the hash of all units and inputs of a finished journal; empty for any other journal.
  const std::string& content_hash() const;
  std::uint64_t units() const;  // number of units of all inputs

  // The number of an input's units, and the number of parts in these units.
  struct Extent {
    std::uint64_t units = 0;
    std::uint64_t parts = 0;
  };
  // Extents by input index; an input without units may be missing.
  using Extents = std::map<std::uint32_t, Extent>;
  const Extents& extents() const;  // no other thread may append meanwhile
  std::vector<InputEntry> inputs() const;
  // early_scores() leaves out damaged rows. next_early_row() returns the first free row.
  std::vector<EarlyScore> early_scores() const;
  std::uint64_t next_early_row() const;
  bool has_scores() const { return units() > 0 || next_early_row() > 0; }
  // Visits all units by input and index, with one in memory at a time. Errors: kJournalDamaged.
  void for_each_unit(const std::function<void(const Unit&)>& visit) const;

  // Reads the units that existed when read() was called, one after the other.
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
  // Returns a reader of the units within `extents`. Another thread may append meanwhile.
  Reader read(Extents extents) const;

 private:
  struct Database;
  explicit Journal(std::unique_ptr<Database> database);
  static Journal opened(const Directory& folder, SqliteDatabase sqlite, Check check,
                        const Cancel& cancel);
  std::unique_ptr<Database> database_;
};

// Returns a copy of `extents` that has only this input.
Journal::Extents only(std::uint32_t input, const Journal::Extents& extents);

// Reads the parts of all sequences in a journal, which must outlive this reader.
class PartReader {
 public:
  explicit PartReader(const Journal& journal) : reader_(journal.read()) {}
  // Reads only the parts of `input`.
  PartReader(const Journal& journal, std::uint32_t input)
      : reader_(journal.read(only(input, journal.extents()))) {}

  std::optional<SequencePart> next();  // Errors: kJournalDamaged

 private:
  Journal::Reader reader_;
  std::optional<Unit> unit_;
  std::size_t next_part_ = 0;
};

// Returns the value of a fingerprint's entry; empty if there is no such entry.
std::string entry_of(const Journal::Fingerprint& print, const std::string& key);

}  // namespace virnucpro
