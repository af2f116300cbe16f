#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "journal/run_lock.hpp"

namespace virnucpro {

// What is done with an output directory that is in use.
enum class Existing : std::uint8_t {
  kRefuse,
  kReplace,  // this program's files in it go
  kResume,   // the run whose journal lies there goes on; without one it begins
};

// The output directory of a run, held by run.lock (host and pid) for the object's life.
class OutputDirectory {
 public:
  // Creates it, or takes one that is empty but for log files; to be resumed, also one with a
  // journal, or with nothing but what a run leaves that ended before it had one. Else
  // kOutputExists, unless it is to be replaced. Held by a live run: kOutputBusy, naming host and
  // pid. Not writable: kOutputWrite.
  OutputDirectory(std::filesystem::path path, std::string stem, Existing existing);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // Removes what an earlier run left: the files this program writes, those named after a stem
  // whatever it was, and no others; <any stem>_merged and logs too when they are empty then. Apart
  // from taking the directory, so that a run which fails before it computes anything costs no
  // earlier results. Errors: kOutputWrite.
  void clear() const;
  // Removes what a run that was killed was about to write, and nothing that is complete.
  void clear_leftovers() const;
  // Whether clear() would remove that file, by whatever path it is named.
  bool would_clear(const std::filesystem::path& file) const;

  const std::filesystem::path& path() const { return path_; }
  const std::string& stem() const { return stem_; }
  std::filesystem::path journal() const { return path_ / "run.db"; }
  std::filesystem::path scratch_journal() const { return path_ / "run.db.partial"; }
  std::filesystem::path log() const { return path_ / "logs" / "virnucpro.log"; }
  std::filesystem::path merged() const { return path_ / (stem_ + "_merged"); }

 private:
  std::filesystem::path path_;
  std::string stem_;
  std::optional<RunLock> lock_;  // empty until the directory is there
};

// A file's name without its folder, one compression suffix and one format suffix; "stdin" for "-".
std::string output_stem(const std::string& input);

}  // namespace virnucpro
