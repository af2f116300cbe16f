#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/error.hpp"
#include "journal/unit.hpp"

namespace virnucpro {

// "vNPR", the application id in a journal's file, as file(1) may know it.
inline constexpr std::uint64_t kApplicationId = 0x764e5052;

// What the journal knows of an input that was read to its end, or to its damage.
struct InputEntry {
  std::string name{};         // as the user gave it
  std::uint64_t records = 0;  // sequences read
  std::uint64_t bytes = 0;    // of decompressed text
  std::string hash{};         // XXH3-128 of that text
  bool failed = false;        // if so, none of its sequences is in any table
  std::string error{};        // the error's name in the table of errors
  std::string message{};      // the whole sentence
  std::uint64_t record = 0;   // where it failed
  std::uint64_t offset = 0;
};

// The run's record on disk: run.db, SQLite in WAL mode with exclusive locking. Each unit is one
// row: a BLOB of its scores with a CRC-32C (unit_blob.hpp), because SQLite's own integrity check
// misses flipped bits in rows; the other rows carry a CRC-32C, too. finish() writes the last row:
// the number and hash of units and inputs, so that lost rows are noticed. A journal without it
// belongs to an interrupted run and is valid up to its last unit.
//
// When append() returns, the kernel has the unit: it survives the end of the process by any signal.
// A power cut may lose the last units (they are synced at every checkpoint of the WAL and by
// finish()), but never the order or wholeness of earlier ones.
//
// Its folder is held open: whatever is put in the folder's place redirects nothing.
//
// One thread at a time may append; meanwhile another may use inputs() and readers. Errors:
// kOutputWrite (disk full, I/O), kJournalDamaged, kOutputBusy.
class Journal {
 public:
  // The settings that two runs must share to count as the same run: "chunk_size" → "500", …
  using Fingerprint = std::map<std::string, std::string>;

  // How much is checked when a journal is opened. kQuick counts and hashes the units and finds gaps
  // between them; each unit is checked only when it is read.
  enum class Check : std::uint8_t { kDeep, kQuick };

  // A new journal; it gets its name once its fingerprint is written. Errors: kOutputWrite, also
  // when the file exists already.
  static Journal create(const FilePlace& place, const Fingerprint& fingerprint);
  // One that no other run will read: nothing is synced, and the destructor removes it.
  static Journal create_scratch(const FilePlace& place, const Fingerprint& fingerprint);
  // Checks every row, so that callers can trust the content. An interrupted run's journal can be
  // appended to. Errors: kJournalDamaged; Cancel's.
  static Journal open(const FilePlace& place, Check check = Check::kDeep,
                      const Cancel& cancel = Cancel());
  ~Journal();
  Journal(Journal&&) noexcept;

  Fingerprint fingerprint() const;
  void describe(const Fingerprint& entries);  // replaces entries that have the same keys
  void append(const Unit& unit);              // in order of index from 0; kInternal otherwise
  // An index may come again; at the end they must be 0, 1, 2 … without a gap.
  void record_input(std::uint32_t index, const InputEntry& entry);
  // Warns when the file was removed or replaced meanwhile: the tables can still be written.
  void finish();

  const std::filesystem::path& path() const;
  bool finished() const;
  std::uint64_t units() const;
  std::uint64_t parts() const;  // parts of sequences, in all units
  std::vector<InputEntry> inputs() const;
  // Every unit in order, one in memory at a time. Errors: kJournalDamaged.
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

 private:
  struct Database;
  explicit Journal(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

// Reads the parts of a journal's sequences one after the other, across units.
class PartReader {
 public:
  // The journal must outlive it.
  explicit PartReader(const Journal& journal) : reader_(journal.read()) {}

  std::optional<SequencePart> next();  // Errors: kJournalDamaged

 private:
  Journal::Reader reader_;
  std::optional<Unit> unit_;
  std::size_t next_part_ = 0;  // index into the unit's parts
};

}  // namespace virnucpro
