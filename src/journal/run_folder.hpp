#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {

// A run's directory, held open, and the record of what runs wrote there. Before a run makes a file,
// its name is appended to run.files, so that it is known which files are a run's, however the
// process ends; nothing else proves it. The record holds names alone: a copied directory stays a
// run's. A directory from before there was such a record has the files that its journal proves
// (older_run.hpp).
//
// Copies share the record. One thread at a time. Errors: kOutputWrite; kOutputExists, naming the
// file, if one that no run wrote has the name of a run's file: it is neither replaced nor removed.
class RunFolder {
 public:
  explicit RunFolder(const Directory& directory);
  explicit RunFolder(const std::filesystem::path& path) : RunFolder(Directory(path)) {}

  const std::filesystem::path& path() const;
  const Directory& directory() const;

  // Returns the place for a file that is about to be written; from now on it is a run's. Makes its
  // folder.
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
  // True if a run wrote this file since the directory was cleared, even if it is gone now. `file`
  // has no "*".
  bool has_written(const RunFile& file) const;
  // Returns the files of runs that are there, complete or not, sorted; no links or folders.
  std::vector<OwnFile> own_files() const;
  void remove(const OwnFile& file) const;
  // Removes a file of the directory itself, if a run wrote it and it is there.
  void remove(const RunFile& file) const;
  // Removes all files of runs and the record, then the empty folders that runs made.
  void clear() const;
  // Removes them, but keeps the record and incomplete files, which will take the others' place.
  void clear_complete() const;

 private:
  void remove_files(bool incomplete) const;

  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace virnucpro
