#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {

// A run's directory, held open, and run.files, the record of the files that runs wrote there. A run
// adds a file's name to the record before it makes the file, so the record is complete however the
// process ends. Nothing else proves that a file is a run's. The record holds names alone, so it is
// right in a copied directory, too. If there is no record, the journal proves some files
// (older_run.hpp).
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
  // Checks the names of all files that a run of this stem may write, whatever its options.
  void require_names(std::string_view stem) const;

  // A file that a run wrote.
  struct OwnFile {
    std::string folder;  // "": the directory itself
    std::string name;
    std::filesystem::path path;
  };
  // True if a run wrote this file since the directory was cleared, even if the file is gone now.
  // `file` has no "*".
  bool has_written(const RunFile& file) const;
  // Returns the existing files of runs, complete or not, sorted; no links or folders.
  std::vector<OwnFile> own_files() const;
  void remove(const OwnFile& file) const;
  // Removes a file in the directory itself, if it exists and a run wrote it.
  void remove(const RunFile& file) const;
  // Removes all files of runs and the record, then the empty folders that runs made.
  void clear() const;
  // Removes the complete files of runs. Keeps the record, and incomplete files that replace others.
  void clear_complete() const;

 private:
  void remove_files(bool incomplete) const;

  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace virnucpro
