#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "journal/run_files.hpp"
#include "journal/run_lock.hpp"

namespace virnucpro {

// What to do with an output directory that is in use.
enum class Existing : std::uint8_t {
  kRefuse,
  kReplace,  // removes this program's files in it
  kResume,   // continues the run whose journal is there, or begins one
};

// A run's output directory, locked by run.lock (host and pid) for the object's life.
class OutputDirectory {
 public:
  // Creates the directory, or takes one that is empty except for log files. kResume also takes one
  // with a journal, or with only the files of a run that ended before it had one; kReplace takes
  // any. Errors: kOutputExists; kOutputBusy, naming host and pid, where a live run holds it
  // (kReplace: is seen to hold it); kOutputWrite.
  OutputDirectory(std::filesystem::path path, std::string stem, Existing existing);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // Removes the files of earlier runs, whatever their stem, and no other files; folders
  // <stem>_merged and logs only if they are empty then. Separate from the constructor, so that a
  // run which fails before it computes anything does not destroy earlier results. Errors:
  // kOutputWrite.
  void clear() const;
  // Removes incomplete files of a killed run, and no complete ones.
  void clear_leftovers() const;
  // Whether clear() would remove this file; it may be named by any path.
  bool would_clear(const std::filesystem::path& file) const;

  const std::filesystem::path& path() const { return path_; }
  const std::string& stem() const { return stem_; }
  std::filesystem::path journal() const { return run_files::kJournal.in(path_); }
  std::filesystem::path log() const { return run_files::kLog.in(path_); }

 private:
  std::filesystem::path path_;
  std::string stem_;
  std::optional<RunLock> lock_;  // empty until the directory exists
};

// A file's name without its folder, a compression suffix and a format suffix; "stdin" for "-".
std::string output_stem(const std::string& input);

}  // namespace virnucpro
