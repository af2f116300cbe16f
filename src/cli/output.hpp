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

// Returns a path, made absolute, and each path that its links lead to. The last path may not exist.
std::vector<std::filesystem::path> followed(const std::filesystem::path& path);

// True if a run writes a file of this name to its output directory.
bool has_name_of_run_file(const std::string& name);

// Checks the path of a file before a command writes it. Refuses a run's file, the log, anything but
// a regular file, and without `force` any existing file. Errors: kUsage; kOutputExists.
void check_output_file(const std::string& path, bool force);

// Refuses "-", which means stdout for other options. Errors: kUsage.
void require_folder_name(const std::string& output);

// Returns whether to refuse, replace or resume an earlier run. Errors: kUsage if both are true.
Existing choose_existing(bool force, bool resume);

// Without `force`, refuses a folder that has files of these names. Errors: kUsage; kOutputExists.
void check_output_folder(const std::string& folder, std::span<const char* const> names, bool force);
// Returns the names with "/" before each, as OptionRow::written has the names of files in a folder.
std::vector<std::string> names_in_folder(std::span<const char* const> names);

// The files that a command writes to a folder. They get their final names once all are synced.
class FolderFiles {
 public:
  // Opens the files now, so that an unwritable folder is found before minutes of work.
  FolderFiles(const std::filesystem::path& folder, std::span<const char* const> names);

  // Writes the files' whole texts, in the order of the names.
  void write(const std::vector<std::string>& texts);

 private:
  std::deque<AtomicFile> files_;
};

// A file that `flag` asks for, and that a run writes outside its output directory.
struct OwnFile {
  std::string_view flag;
  const std::string& path;
  std::string_view start;  // the first bytes of a file of this kind
  std::string_view what;   // the name of its contents in messages
};

// Refuses a path in a run's directory `output`, where only the run's own files may lie. An empty
// `output` means no directory. Errors: kUsage.
void require_elsewhere(std::string_view flag, const std::string& path,
                       const std::filesystem::path& output);

// Checks the path of a file; accepts an empty path. The file may replace an earlier file of the
// same kind, but no other file (such as an input), and must be outside `output`. Errors: kUsage.
void check_own_file(const OwnFile& own, const std::filesystem::path& output);

// The file name in errors of write_stdout().
inline constexpr std::string_view kStandardOutput = "standard output";

// Writes all of `text` to stdout, unbuffered. Errors: kOutputWrite, also for a closed pipe.
void write_stdout(std::string_view text);
// Writes text for people to stdout, through printable_lines(), so that text from a file cannot
// control their terminal. Tables and JSON go through write_stdout().
void print_stdout(std::string_view text);

}  // namespace virnucpro
