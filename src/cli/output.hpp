#pragma once

#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "run/output_directory.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Returns a path, made absolute, and each path that its links lead to. The last may not exist.
std::vector<std::filesystem::path> followed(const std::filesystem::path& path);

// True if a run writes a file of this name to its output directory.
bool has_name_of_run_file(const std::string& name);

// Checks a file that a command is to write. It may replace only a regular file, only with `force`,
// and neither a run's file nor the log. Errors: kUsage; kOutputExists.
void check_output_file(const std::string& path, bool force);

// Refuses "-", which means stdout for other options. Errors: kUsage.
void require_folder_name(const std::string& output);

// Returns what happens to an earlier run in the output directory. Errors: kUsage if both are given.
Existing choose_existing(bool force, bool resume);

// Checks a folder for files of these names. Errors: kUsage; kOutputExists.
void check_output_folder(const std::string& folder, std::span<const char* const> names, bool force);
// Returns `names` in the form of OptionRow::written.
std::vector<std::string> names_in_folder(std::span<const char* const> names);

// A command's files in a folder. They get their names together, once all are synced.
class FolderFiles {
 public:
  // Opens the files now, so that an unwritable folder is found before minutes of work.
  FolderFiles(const std::filesystem::path& folder, std::span<const char* const> names);

  // Writes the files' whole texts, in the order of the names.
  void write(const std::vector<std::string>& texts);

 private:
  std::deque<AtomicFile> files_;
};

// A file that a run writes outside its output directory, at the request of `flag`.
struct OwnFile {
  std::string_view flag;
  const std::string& path;
  std::string_view start;  // the first bytes of a file of this kind
  std::string_view what;   // its contents, for messages
};

// Refuses a path in a run's directory `output`, where only the run's own files may lie. An empty
// `output` means no directory. Errors: kUsage.
void require_elsewhere(std::string_view flag, const std::string& path,
                       const std::filesystem::path& output);

// Checks the file's path. It may replace an earlier run's file of the same kind, but no other file
// (such as an input), and may not lie in the output directory. Does nothing if the path is empty.
// Errors: kUsage.
void check_own_file(const OwnFile& own, const std::filesystem::path& output);

// The file name in errors of write_stdout().
inline constexpr std::string_view kStandardOutput = "standard output";

// Writes all of `text` to stdout, unbuffered. Errors: kOutputWrite, also if a pipe's reader has
// ended (SIGPIPE is ignored).
void write_stdout(std::string_view text);
// Writes text for people to stdout, through printable_lines(), so that text from a file cannot act
// on their terminal. Tables and JSON go through write_stdout().
void print_stdout(std::string_view text);

}  // namespace virnucpro
