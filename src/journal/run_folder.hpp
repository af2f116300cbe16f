#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {

// A run's directory, held open. Its file run.files is the record of the files that runs wrote
// there. A run adds a file's name to the record before it makes the file, so the record is complete
// even if the process is killed. Only a recorded file counts as a run's file. The record has
// relative names, so it is also right in a copied directory. A run of an early version has no
// record. Then a file counts only if the journal proves that it is the run's (older_run.hpp).
//
// Copies of this object share the record; one thread at a time may use them. Errors: kOutputWrite;
// kOutputExists, naming the file, if a file that no run wrote has the name of a run's file. Such a
// file is neither replaced nor removed.
class RunFolder {
 public:
  explicit RunFolder(const Directory& directory);
  explicit RunFolder(const std::filesystem::path& path) : RunFolder(Directory(path)) {}

  const std::filesystem::path& path() const;
  const Directory& directory() const;

  // Records that a run writes this file, makes the file's folder, and returns the file's place.
  FilePlace place(const RunFile& file, std::string_view differing = {},
                  std::uint64_t number = 0) const;
  // Checks that no foreign file has a name that a run of this stem, whatever its options, may use.
  void require_names(std::string_view stem) const;

  struct OwnFile {
    std::string folder;  // "": the directory itself
    std::string name;
    std::filesystem::path path;
  };
  // True if a run wrote this file since the directory was cleared, even if the file is gone now.
  // `file` must have no "*".
  bool has_written(const RunFile& file) const;
  // Returns the existing regular files that runs wrote, complete or incomplete, sorted.
  std::vector<OwnFile> own_files() const;
  void remove(const OwnFile& file) const;
  // Removes a file in the directory itself, if it exists. Throws kOutputExists for a foreign file.
  void remove(const RunFile& file) const;
  // Removes all files of runs and the record, then the empty folders that runs made.
  void clear() const;
  // Removes the complete files of runs. Keeps the record and the incomplete files, which replace
  // the removed files afterwards.
  void clear_complete() const;

 private:
  void remove_files(bool incomplete) const;

  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace virnucpro
