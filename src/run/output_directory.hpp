#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "journal/run_files.hpp"
#include "journal/run_folder.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// How to treat an output directory that has files of a run.
enum class Existing : std::uint8_t {
  kRefuse,
  kReplace,  // removes the files that runs wrote there
  kResume,   // continues the run whose journal is there, or begins a run
};

// A run's output directory, held open, and locked by run.lock for the object's life.
class OutputDirectory {
 public:
  // Creates the directory, or opens a directory that has no results of a run. With kResume, the
  // directory may have a journal, or files of a run that ended before it had a journal. With
  // kReplace, it may have any files of runs. Other files may be there, but not under a name that a
  // run of this stem may use. Nothing is changed before the directory is known to be usable.
  // Errors: kOutputExists; kJournalDamaged if SQLite would take a foreign file for a part of the
  // journal; kOutputBusy, naming host and pid, if the process that holds the directory may be alive
  // (with kReplace: is certainly alive); kOutputWrite.
  OutputDirectory(const std::filesystem::path& path, std::string stem, Existing existing);
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // Removes the files that earlier runs wrote, whatever their stem, and then their empty folders.
  // The constructor does not remove them: a run that fails before it computes anything must not
  // destroy earlier results. Errors: kOutputWrite.
  void clear() const;
  // Removes the files of earlier runs, but keeps files without a final name: the new files. Call it
  // when all new files are written.
  void clear_complete() const;
  // Removes only the incomplete files of a killed run.
  void clear_leftovers() const;
  // True if clear() would remove this file. `file` may be any path to it.
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
