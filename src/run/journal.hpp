#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "run/unit.hpp"

namespace virnucpro {

// What the journal knows of one input once it was read to its end, or to its damage.
struct InputEntry {
  std::string name;           // as the user gave it
  std::uint64_t records = 0;  // sequences read
  std::uint64_t bytes = 0;    // of decompressed text
  std::string hash;           // XXH3-128 of that text
  bool failed = false;        // then none of its sequences is in any table
  std::string error;          // name in the table of errors
  std::string message;        // whole sentence
  std::uint64_t record = 0;   // where it failed
  std::uint64_t offset = 0;
};

// The run's record on disk: run.db, SQLite in WAL mode with exclusive locking. One row a unit: a
// BLOB of its scores with a CRC-32C, because SQLite's own integrity check lets flipped bits in
// rows pass. The last row written, by finish(), holds the number and hash of the units.
class Journal {
 public:
  // What must be equal for a run to be the same run: "chunk_size" → "500", …
  using Fingerprint = std::map<std::string, std::string>;

  // Errors: kOutputWrite; kJournalDamaged when `open` finds no journal it can trust.
  static Journal create(const std::filesystem::path& path, const Fingerprint& fingerprint);
  static Journal open(const std::filesystem::path& path);
  ~Journal();
  Journal(Journal&&) noexcept;

  Fingerprint fingerprint() const;
  void append(const Unit& unit);  // indices in order from 0
  void record_input(std::uint32_t index, const InputEntry& entry);
  void finish();

  bool finished() const;
  std::vector<InputEntry> inputs() const;
  // Every unit in order, one in memory at a time. Errors: kJournalDamaged.
  void for_each_unit(const std::function<void(const Unit&)>& visit) const;

 private:
  struct Database;
  explicit Journal(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace virnucpro
