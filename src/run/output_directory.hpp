#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "journal/run_files.hpp"
#include "journal/run_folder.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// How to treat an output directory that is in use.
enum class Existing : std::uint8_t {
  kRefuse,
  kReplace,  // removes what runs wrote there
  kResume,   // continues the run whose journal is there, or begins a run
};

// A run's output directory, held open, and locked by run.lock for the object's life.
class OutputDirectory {
 public:
  // Creates the directory, or takes a directory that holds no file of a run. kResume also takes a
  // directory with a journal, or with only the files of a run that ended before it had a journal;
  // kReplace takes any. Other files may be there, but not under a name that a run of this stem may
  // use. Nothing in the directory is touched before it is known to be usable. Errors:
  // kOutputExists; kJournalDamaged if SQLite would take a foreign file for a part of the journal;
  // kOutputBusy, naming host and pid, if the run that holds it may be alive (kReplace: is alive for
  // sure); kOutputWrite.
  OutputDirectory(const std::filesystem::path& path, std::string stem, Existing existing);
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // Removes the files that earlier runs wrote, whatever their stem, and then their empty folders.
  // The constructor does not remove them: a run that fails before it computes anything must not
  // destroy earlier results. Errors: kOutputWrite.
  void clear() const;
  // Clears all but the incomplete files that will replace the others. Call it when everything that
  // can fail is done.
  void clear_complete() const;
  // Removes only the incomplete files of a killed run.
  void clear_leftovers() const;
  // True if clear() would remove this file; any path may name it.
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

// Returns a file's name without its folder, compression suffix and format suffix; "stdin" for "-".
std::string output_stem(const std::string& input);
// True if an input's name says nothing about its content: "-", or a shell's <(…).
bool is_nameless(const std::string& input);

}  // namespace virnucpro
