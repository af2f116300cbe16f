#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "journal/run_files.hpp"
#include "journal/run_folder.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// What to do with an output directory that is in use.
enum class Existing : std::uint8_t {
  kRefuse,
  kReplace,  // removes what runs wrote there
  kResume,   // continues the run whose journal is there, or begins one
};

// A run's output directory, held open, and locked by run.lock for the object's life.
class OutputDirectory {
 public:
  // Creates the directory, or takes one that holds no file of a run. kResume also takes one with a
  // journal, or with only the files of a run that ended before it had one; kReplace takes any.
  // Files that no run wrote may be there, but under none of the names that a run of this stem may
  // use. Nothing in the directory is touched before it is known to be usable. Errors:
  // kJournalDamaged where SQLite would take a foreign file for a part of the journal;
  // kOutputExists; kOutputBusy, naming host and pid, where a live run holds it (kReplace: is seen
  // to hold it); kOutputWrite.
  OutputDirectory(const std::filesystem::path& path, std::string stem, Existing existing);
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // Removes the files that earlier runs wrote, whatever their stem, and no others; their folders
  // only if they are empty then. Separate from the constructor, so that a run which fails before it
  // computes anything does not destroy earlier results. Errors: kOutputWrite.
  void clear() const;
  // The same, but keeps the incomplete files that take the others' place: first everything that can
  // fail, then this.
  void clear_complete() const;
  // Removes incomplete files of a killed run, and no complete ones.
  void clear_leftovers() const;
  // Whether clear() would remove this file; it may be named by any path.
  bool would_clear(const std::filesystem::path& file) const;
  const RunFolder& files() const { return files_; }
  const std::filesystem::path& path() const { return files_.path(); }
  const std::string& stem() const { return stem_; }
  std::filesystem::path journal() const { return run_files::kJournal.in(path()); }

 private:
  std::string stem_;
  RunLock lock_;
  RunFolder files_;
};

// A file's name without its folder, a compression suffix and a format suffix; "stdin" for "-".
std::string output_stem(const std::string& input);
// Whether an input's name says nothing of what it holds: "-", or what a shell makes of <(…).
bool is_nameless(const std::string& input);

}  // namespace virnucpro
