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
#include "base/error.hpp"
#include "journal/unit.hpp"

namespace virnucpro {

// What the journal knows of one input once it was read to its end, or to its damage.
struct InputEntry {
  std::string name{};         // as the user gave it
  std::uint64_t records = 0;  // sequences read
  std::uint64_t bytes = 0;    // of decompressed text
  std::string hash{};         // XXH3-128 of that text
  bool failed = false;        // then none of its sequences is in any table
  std::string error{};        // name in the table of errors
  std::string message{};      // whole sentence
  std::uint64_t record = 0;   // where it failed
  std::uint64_t offset = 0;
};

// The run's record on disk: run.db, SQLite in WAL mode with exclusive locking. One row a unit: a
// BLOB of its scores with a CRC-32C (unit_blob.hpp), because SQLite's own integrity check lets
// flipped bits in rows pass; the other rows carry a CRC-32C too. The last row written, by finish(),
// holds the number and hash of the units and inputs, so that loss shows. A journal without it is
// that of an interrupted run, good up to its last unit.
//
// A unit is on disk, for the kernel, when append() returns: it survives the end of the process by
// any signal. A power cut may take the last units (they are synced at every checkpoint of the WAL
// and by finish()), never the order or wholeness of those before.
//
// What appends is one thread at a time; inputs() and readers may be another's meanwhile. Errors:
// kOutputWrite (disk full, I/O), kJournalDamaged, kOutputBusy.
class Journal {
 public:
  // What must be equal for a run to be the same run: "chunk_size" → "500", …
  using Fingerprint = std::map<std::string, std::string>;

  // How much of a journal is looked at when it is opened: with kQuick units are counted and hashed,
  // none may be missing between others, and each is checked only when it is read.
  enum class Check : std::uint8_t { kDeep, kQuick };

  // A new journal, under its name once it has its fingerprint; a file that is there already is an
  // error (kOutputWrite).
  static Journal create(const std::filesystem::path& path, const Fingerprint& fingerprint);
  // One that no other run will ever read: nothing is synced, and it is gone with the object.
  static Journal create_scratch(const std::filesystem::path& path, const Fingerprint& fingerprint);
  // Checks every row, so that what follows can be trusted: kJournalDamaged when it cannot be. An
  // interrupted run's journal can be appended to where it ends. Errors: Cancel's, too.
  static Journal open(const std::filesystem::path& path, Check check = Check::kDeep,
                      const Cancel& cancel = Cancel());
  ~Journal();
  Journal(Journal&&) noexcept;

  Fingerprint fingerprint() const;
  void describe(const Fingerprint& entries);  // puts them in the place of those with the same keys
  void append(const Unit& unit);              // indices in order from 0; kInternal otherwise
  // Each index once or more; at the end they must be 0, 1, 2 … without a gap.
  void record_input(std::uint32_t index, const InputEntry& entry);
  // Warns when somebody removed or replaced the file meanwhile: the tables can be written still.
  void finish();

  const std::filesystem::path& path() const;
  bool finished() const;
  std::uint64_t units() const;
  std::uint64_t parts() const;  // of sequences, in all units
  std::vector<InputEntry> inputs() const;
  // Every unit in order, one in memory at a time. Errors: kJournalDamaged.
  void for_each_unit(const std::function<void(const Unit&)>& visit) const;

  // The units that were there when it was made, one after the other.
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

// The parts of a journal's sequences, one after the other, whatever units they lie in.
class PartReader {
 public:
  // The journal outlives it.
  explicit PartReader(const Journal& journal) : reader_(journal.read()) {}

  std::optional<SequencePart> next();  // Errors: kJournalDamaged

 private:
  Journal::Reader reader_;
  std::optional<Unit> unit_;
  std::size_t next_part_ = 0;  // of the unit's parts
};

}  // namespace virnucpro
